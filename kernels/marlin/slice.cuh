// What a warp computes of a slice that lies in shared memory.
//
// The product is taken transposed: the 16 columns of W whose codes a thread holds are the rows of mma.sync's A (16 x 16), and eight rows
// of x are the columns of its B (16 x 8), so that a few rows of x leave no part of the tensor core idle.
#pragma once

#include "kernels/marlin/scaling.cuh"
#include "kernels/marlin/shared.cuh"

namespace assay::marlin {

// FP32 accumulators of 64 columns: [w][g][e] is column 16w + lane/4 + 8*(e/2), row 8g + 2*(lane%4) + e%2.
template <int kRowGroups>
using Accumulator = float[4][kRowGroups][4];

// Operands of one block of 16 k.
template <class Weights, int kRowGroups>
struct Operands {
  uint32_t w[Weights::kWords];
  uint32_t x[kRowGroups][2];

  // `half`: blocks of the slice before those of the warp.
  __device__ __forceinline__ void read(const Stage<Weights>& stage, const typename Shared<Weights, kRowGroups>::Slot& rows, int half,
                                       int lane, int step) {
#pragma unroll
    for (int c = 0; c < Weights::kWords / 4; ++c) {
      const uint4 chunk = stage.w[step][chunk_at<Weights>(Weights::kWords / 4 * lane + c)];
      w[4 * c] = chunk.x, w[4 * c + 1] = chunk.y, w[4 * c + 2] = chunk.z, w[4 * c + 3] = chunk.w;
    }
    const int k = 16 * (half + step) + lane / 8 % 2 * 8;
    if constexpr (kRowGroups == 1) {
      ldmatrix_x2(x[0], &rows[lane % 8][k]);
    } else {
#pragma unroll
      for (int g = 0; g < kRowGroups; g += 2) {
        uint32_t four[4];
        ldmatrix_x4(four, &rows[8 * g + lane / 16 * 8 + lane % 8][k]);
        x[g][0] = four[0], x[g][1] = four[1], x[g + 1][0] = four[2], x[g + 1][1] = four[3];
      }
    }
  }
};

// Of the group that a whole block of 16 k shares. Zero points are read where there are any.
template <class Weights>
__device__ __forceinline__ void read_scaling(const Problem<typename Weights::Element>& p, const Stage<Weights>& stage, int group, int lane,
                                             Scaling<1>& scaling) {
  Columns columns;
  read_scales(stage.scale[group], p.channelwise, lane, columns);
  scaling.spread(columns, columns, scaling.scale[0]);
  if (!p.zeros) return;
  Weights::read_zeros(stage.zeros[group], lane, columns);
  scaling.spread(columns, columns, scaling.zero[0]);
}

// Act-order: each row of the block has its own group, and scales come straight from global memory.
template <class Weights>
__device__ __forceinline__ void read_scaling(const Problem<typename Weights::Element>& p, int block, int column, int lane,
                                             Scaling<2>& scaling) {
#pragma unroll
  for (int pair = 0; pair < 2; ++pair) {
    const int* groups = p.g_idx + 16 * block + 8 * pair + lane % 4 * 2;
    const int64_t first = static_cast<int64_t>(groups[0]) * p.n + column, second = static_cast<int64_t>(groups[1]) * p.n + column;
    Columns columns[2];
    read_scales(p.scale + first, p.channelwise, lane, columns[0]);
    read_scales(p.scale + second, p.channelwise, lane, columns[1]);
    scaling.spread(columns[0], columns[1], scaling.scale[pair]);
    if (!p.zeros) continue;
    Weights::read_zeros(p.zeros + first / 8, lane, columns[0]);
    Weights::read_zeros(p.zeros + second / 8, lane, columns[1]);
    scaling.spread(columns[0], columns[1], scaling.zero[pair]);
  }
}

// Adds the warp's half of a slice: its blocks of 16 k in ascending order, one mma.sync each.
template <class Weights, int kRowGroups, bool kActOrder>
__device__ __forceinline__ void multiply_slice(const Problem<typename Weights::Element>& p, const Place& at, const Stage<Weights>& stage,
                                               const typename Shared<Weights, kRowGroups>::Slot& rows, Scaling<kActOrder ? 2 : 1>& scaling,
                                               Accumulator<kRowGroups>& sums) {
  using T = typename Weights::Element;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int half = warp / kColumnWarps * Weights::kSteps, first_block = at.slice * kSliceBlocks<Weights> + half;
  const int column = at.column_tile * kTileColumns + warp % kColumnWarps * 64;
  const int steps = column < p.n ? min(p.k / 16 - first_block, Weights::kSteps) : 0;
  if (steps <= 0) return;

  // Operands are read one step ahead, but for act-order, which needs the registers.
  constexpr int ahead = kActOrder ? 0 : 1;
  Operands<Weights, kRowGroups> operands[ahead + 1];
  if (ahead) operands[0].read(stage, rows, half, lane, 0);
#pragma unroll
  for (int i = 0; i < Weights::kSteps; ++i) {
    if (i >= steps) break;
    if (i + ahead < steps) operands[(i + ahead) % (ahead + 1)].read(stage, rows, half, lane, i + ahead);
    if constexpr (kActOrder) {
      read_scaling<Weights>(p, first_block + i, column, lane, scaling);
    } else if (16 * i % Weights::kLeastGroup == 0) {  // the warp's first block begins a group, or is the first of a group's that it has
      if (i == 0 || 16 * i % (1u << p.group_shift) == 0) read_scaling<Weights>(p, stage, 16 * i >> p.group_shift, lane, scaling);
    }
    const auto& now = operands[i % (ahead + 1)];
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      uint32_t w[4];
      Weights::decode(now.w, c, scaling, w);
#pragma unroll
      for (int g = 0; g < kRowGroups; ++g) mma_m16n8k16<T>(sums[c][g], w, now.x[g], sums[c][g]);
    }
  }
}

}  // namespace assay::marlin
