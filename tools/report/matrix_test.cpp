#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tools/report/report.hpp"

namespace assay::report {
namespace {

/// A subject under as many laws; the last one fails, the one before is skipped, and one more has no case.
Report under(int laws) {
  Report report;
  for (int i = 0; i < laws; i++) report.cells.push_back({.subject = "silu_and_mul", .law = fmt::format("law_{}", i), .cases = 10});
  report.cells.push_back({.subject = "silu_and_mul", .law = "no_case"});
  report.cells.push_back({.subject = "silu_and_mul", .law = "left_out", .verdict = skipped("it cannot"), .skipped = 3});
  report.cells.push_back({.subject = "silu_and_mul", .law = "broken", .verdict = failed("it is wrong"), .cases = 4,
                          .smallest = {.problem = parse_case("silu_and_mul rows=2"), .subject = "silu_and_mul", .law = "broken"}});
  return report;
}

std::vector<std::string> lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> all;
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

TEST(Matrix, FewLawsHaveAColumnEach) {
  const std::vector<std::string> text = lines(to_text(under(2), false));
  EXPECT_TRUE(text[0].starts_with("subject       law_0         law_1         no_case       left_out      broken        worst share")) << text[0];
  EXPECT_TRUE(text[1].starts_with("silu_and_mul  pass 10       pass 10       -             skip          FAIL at 4     -")) << text[1];
}

TEST(Matrix, ManyLawsAreCountedAndThoseNamedThatDidNotPass) {
  const std::vector<std::string> text = lines(to_text(under(20), false));
  EXPECT_EQ(text[0], "subject       laws passed  cases  worst share of bound  one legal  elements");
  EXPECT_EQ(text[1], "silu_and_mul     20 of 22    204                     -          -         0  left_out skip  broken FAIL at 4");
  EXPECT_EQ(text[2], "laws: law_0 law_1 law_2 law_3 law_4 law_5 law_6 law_7 law_8 law_9 law_10 law_11 law_12 law_13 law_14");
  EXPECT_EQ(text[3], "      law_15 law_16 law_17 law_18 law_19 no_case left_out broken");
}

}  // namespace
}  // namespace assay::report
