// The order in which the blocks of a launch take the tiles of a matrix: bands of a few tile rows, each walked column by column. Blocks
// that run at the same time then share rows of A and columns of B in the L2 cache.
#pragma once

#include <cuda_runtime.h>

namespace assay {

// At most this many tile rows in a band: with tiles of 128 x 256, 132 blocks at a time cover about 2048 x 2048 elements.
inline constexpr int kBandRows = 16;

struct TilePlace {
  int row, column;  // in tiles
};

// The tile of block `index` < rows * columns.
__host__ __device__ constexpr TilePlace tile_place(int index, int rows, int columns) {
  const int first = index / (kBandRows * columns) * kBandRows;
  const int height = rows - first < kBandRows ? rows - first : kBandRows;
  const int within = index - first * columns;
  return {first + within % height, within / height};
}

// The block of a tile.
__host__ __device__ constexpr int tile_index(TilePlace at, int rows, int columns) {
  const int first = at.row / kBandRows * kBandRows;
  const int height = rows - first < kBandRows ? rows - first : kBandRows;
  return first * columns + at.column * height + at.row - first;
}

}  // namespace assay
