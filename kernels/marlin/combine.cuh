// Tiles that several stripes have worked on: their parts are added in the order of the line and rounded.
#pragma once

#include "kernels/marlin/multiply.cuh"

namespace assay::marlin {

inline constexpr int kCombinedRows = 4;  // of a block; 64 threads for the columns of a tile

// blockIdx.x + 1: a stripe, of whose first tile the block takes rows 4 * blockIdx.y ..., if the stripe before it is where the tile begins.
// Every unfinished tile is met once, and there is one: so the grid does not end before multiply has, whose end some of its blocks await.
template <class T>
__global__ void __launch_bounds__(64 * kCombinedRows) combine(Problem<T> p, int rows) {
  const Line& line = p.line;
  const int64_t begin = (static_cast<int64_t>(blockIdx.x) + 1) * line.length;
  const int tile = static_cast<int>(begin / line.slices);
  const int64_t tile_begin = static_cast<int64_t>(tile) * line.slices;
  if (begin == tile_begin || begin - line.length > tile_begin) return;

  const int in_tile = static_cast<int>(blockIdx.y * kCombinedRows + threadIdx.y), in_row = static_cast<int>(threadIdx.x) * 4;
  const int row = tile % line.row_blocks * rows + in_tile, column = tile / line.row_blocks * kTileColumns + in_row;
  if (in_tile >= rows || row >= p.m || column >= p.n) return;

  wait_for_grid_ahead();
  const int first = static_cast<int>(blockIdx.x), last = static_cast<int>((tile_begin + line.slices - 1) / line.length);
  const auto part = [&](int stripe, int slot) {
    return *reinterpret_cast<const float4*>(partial_of(p.partials, stripe, slot, rows) + in_tile * kTileColumns + in_row);
  };
  float4 sum = part(first, begin - line.length == tile_begin ? 0 : 1);
#pragma unroll 8  // as many loads are under way
  for (int stripe = first + 1; stripe <= last; ++stripe) {
    const float4 next = part(stripe, 0);
    sum.x = __fadd_rn(sum.x, next.x), sum.y = __fadd_rn(sum.y, next.y), sum.z = __fadd_rn(sum.z, next.z), sum.w = __fadd_rn(sum.w, next.w);
  }
  store_rounded(p, row, column, sum);
}

}  // namespace assay::marlin
