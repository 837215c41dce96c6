// The tiles that the FP8 matrix products cut y into, one block each, and which of them suits a shape. Bits do not depend on the tile.
#pragma once

#include <cstdint>

enum fp8_tile {
  fp8_tile_automatic = 0,
  fp8_tile_64x32 = 1,  // rows x columns of y
  fp8_tile_64x128 = 2,
  fp8_tile_128x128 = 3,
  fp8_tile_128x256 = 4,
};

namespace assay {

struct TileShape {
  int rows, columns;
};

// The shape of a tile that is not automatic.
constexpr TileShape tile_shape(int tile) {
  constexpr TileShape shapes[] = {{0, 0}, {64, 32}, {64, 128}, {128, 128}, {128, 256}};
  return shapes[tile];
}

constexpr int64_t tiles_along(int64_t size, int tile) { return size / tile + (size % tile != 0); }

constexpr int64_t tile_count(int tile, int64_t m, int64_t n) {
  return tiles_along(m, tile_shape(tile).rows) * tiles_along(n, tile_shape(tile).columns);
}

// What `fp8_tile_automatic` takes: the largest tile of which there are enough for the 132 multiprocessors of an H100 or H200, else the
// smallest; tiles of 128 rows only for more than 64.
constexpr int automatic_tile(int64_t m, int64_t n) {
  constexpr int64_t kMultiprocessors = 132;
  for (int tile = m > 64 ? fp8_tile_128x256 : fp8_tile_64x128; tile > fp8_tile_64x32; --tile)
    if (tile_count(tile, m, n) >= kMultiprocessors) return tile;
  return fp8_tile_64x32;
}

}  // namespace assay
