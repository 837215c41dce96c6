#include "kernels/common/tile_order.h"

#include <gtest/gtest.h>

#include <set>

#include "kernels/common/fp8_tiles.h"

namespace assay {
namespace {

struct Grid {
  int rows, columns;
};
constexpr Grid kGrids[] = {{1, 1}, {1, 7}, {5, 1}, {16, 3}, {17, 3}, {31, 5}, {32, 16}, {33, 2}, {100, 9}};

TEST(TileOrder, EveryTileHasOneBlock) {
  for (auto [rows, columns] : kGrids) {
    std::set<std::pair<int, int>> seen;
    for (int i = 0; i < rows * columns; ++i) {
      const TilePlace at = tile_place(i, rows, columns);
      EXPECT_TRUE(0 <= at.row && at.row < rows && 0 <= at.column && at.column < columns) << rows << ' ' << columns << ' ' << i;
      EXPECT_EQ(tile_index(at, rows, columns), i) << rows << ' ' << columns;
      seen.insert({at.row, at.column});
    }
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(rows * columns));
  }
}

TEST(TileOrder, BlocksThatFollowEachOtherStayInABand) {
  for (int i = 0; i < 256; ++i) {
    const TilePlace at = tile_place(i, 40, 100);
    EXPECT_EQ(at.row, i % kBandRows);
    EXPECT_EQ(at.column, i / kBandRows);
  }
}

TEST(Fp8Tiles, AreTheLargestThatOccupyTheDevice) {
  EXPECT_EQ(automatic_tile(4096, 4096), fp8_tile_128x256);
  EXPECT_EQ(automatic_tile(65, 132 * 256), fp8_tile_128x256);
  EXPECT_EQ(automatic_tile(65, 132 * 256 - 256), fp8_tile_128x128);
  EXPECT_EQ(automatic_tile(512, 4096), fp8_tile_64x128);
  EXPECT_EQ(automatic_tile(64, 132 * 256), fp8_tile_64x128);  // half of 128 rows would be idle
  EXPECT_EQ(automatic_tile(1, 4096), fp8_tile_64x32);
  EXPECT_EQ(automatic_tile(0, 0), fp8_tile_64x32);
}

}  // namespace
}  // namespace assay
