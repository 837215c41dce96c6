#include "properties/generators/search.hpp"

#include <gtest/gtest.h>

namespace assay::properties {
namespace {

/// What fails from an extent on, as data with the codes of a format in turn do, shrinks to that extent in steps that double, not one by
/// one.
TEST(Shrink, CutsExtentsInFewSteps) {
  for (const int64_t needed : {2, 700, 3001, 4090}) {
    const Found found = shrink(parse_case("convert n=4095 fill=codes seed=0"), 600, [&](const Case& c) -> std::optional<std::string> {
      return c.parameters.whole("n") >= needed && c.fill == Fill::codes ? std::optional<std::string>("fails") : std::nullopt;
    });
    EXPECT_EQ(found.smallest.parameters.whole("n"), needed);
    EXPECT_LT(found.shrinks_tried, 400) << needed;  // one by one, or in steps of 8, would take 1000 and more
  }
}

TEST(Shrink, EndsWhereNothingSimplerFails) {
  const Found found = shrink(
      parse_case("w4a16_gemv m=40 n=100 k=264 group=8 x_pad=9 fill=huge seed=77"), 600, [](const Case& c) -> std::optional<std::string> {
        return c.parameters.whole("k") > 200 && c.parameters.whole("x_pad") > 2 ? std::optional<std::string>("fails") : std::nullopt;
      });
  EXPECT_EQ(to_line(found.smallest), "w4a16_gemv m=1 n=1 k=208 group=8 x_pad=3 fill=exact seed=0");
}

}  // namespace
}  // namespace assay::properties
