#include "kernels/simt/checker/region.hpp"

#include <gtest/gtest.h>

namespace simt {
namespace {

Region region_of(Elements elements) {
  Region region(Region::Space::device, 1 << 20, 4096, false);
  region.elements = std::move(elements);
  return region;
}

TEST(Region, PlacesAreNamedByRowAndColumn) {
  const Region region = region_of({.name = "x", .first = 64, .element_bytes = 2, .shape = {2, 3, 8}, .strides = {40, 10}});
  EXPECT_EQ(region.place(64), "byte 0, row 0, column 0");
  EXPECT_EQ(region.place(64 + 2 * (40 + 2 * 10 + 7)), "byte 134, row 5, column 7");
  EXPECT_EQ(region.place(64 + 2 * 8), "byte 16, in the gap after row 0");
  EXPECT_EQ(region.place(64 + 2 * 30), "byte 60, in the gap after row 2");
  EXPECT_EQ(region.place(63), "byte 1 before its start");
  EXPECT_EQ(region.place(-4), "byte 68 before its start");
  EXPECT_EQ(region.place(64 + 2 * 68), "byte 0 after its end");
  EXPECT_EQ(region_of({.name = "w", .shape = {16}}).place(3), "byte 3, element 3");
  EXPECT_EQ(region_of({.name = "none"}).place(3), "byte 3 of its allocation, which holds no element");
}

TEST(Region, SharedVariablesAreNamedByWhatLiesBefore) {
  Region region(Region::Space::static_shared, 1 << 20, 64, true);
  region.variables = {{"a", 8, 16}, {"b", 32, 4}};
  EXPECT_EQ(region.buffer(8) + ": " + region.place(8), "a: byte 0");
  EXPECT_EQ(region.buffer(24) + ": " + region.place(24), "a: byte 0 after its end");
  EXPECT_EQ(region.buffer(35) + ": " + region.place(35), "b: byte 3");
  EXPECT_EQ(region.buffer(0) + ": " + region.place(0), "a: byte 8 before its start");
}

TEST(Record, KeepsItsParts) {
  const Record record = Record::of(Record::kLastOrdinal, Record::kLastClock, 1023).with(15, 3);
  EXPECT_EQ(record.bits, ~std::uint64_t{0});
  const Record other = Record::of(5, 6, 71).with(9, 1);
  EXPECT_EQ(other.ordinal(), 5u);
  EXPECT_EQ(other.clock(), 6u);
  EXPECT_EQ(other.rank(), 71u);
  EXPECT_EQ(other.warp(), 2u);
  EXPECT_EQ(other.mask(), 9u);
  EXPECT_EQ(other.crowd(), Crowd::warp);
  EXPECT_TRUE(other.same_thread(Record::of(5, 9, 71)));
  EXPECT_FALSE(other.same_moment(Record::of(5, 9, 71)));
}

}  // namespace
}  // namespace simt
