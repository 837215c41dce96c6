// What the device code of a product y = x @ W with weights in Marlin tiles needs to know.
#pragma once

#include "kernels/launch.h"
#include "kernels/marlin/line.h"

namespace assay::marlin {

template <class T>
struct Problem {
  T* y;
  const T* x;  // 16-byte aligned rows, columns in the order of the weights
  const uint4* w;
  const T* scale;
  const uint32_t* zeros;  // or null: symmetric
  const int* g_idx;       // or null: the group of k is k >> group_shift
  float* partials;        // unfinished tiles, kPartials for each stripe
  int64_t y_stride, x_stride;
  int m, n, k;
  int cut_slice;     // the slice of a tile that k ends in; -1: it ends with a slice
  int group_shift;   // one group: 31, which every k is shifted out by
  bool channelwise;  // how the columns of scale are permuted
  bool vector_y;     // y allows stores of four elements
  Line line;
};

// A slice of the line.
struct Place {
  int column_tile, row_block, slice;

  __device__ __forceinline__ Place(const Line& line, int at) {
    const int tile = at / line.slices;
    slice = at - tile * line.slices;
    column_tile = tile / line.row_blocks;
    row_block = tile - column_tile * line.row_blocks;
  }
  // Some slices on, without a division; true if that is in another tile.
  __device__ __forceinline__ bool advance(const Line& line, int slices) {
    slice += slices;
    if (slice < line.slices) return false;
    do {
      slice -= line.slices;
      if (++row_block == line.row_blocks) {
        row_block = 0;
        ++column_tile;
      }
    } while (slice >= line.slices);
    return true;
  }
};

}  // namespace assay::marlin
