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

// Operands of kBlocks blocks of 16 k.
template <class Weights, int kRowGroups, int kBlocks>
struct Operands {
  uint32_t w[kBlocks][Weights::kWords];
  uint32_t x[kBlocks][kRowGroups][2];

  // From the warp's block `step` on; `half`: blocks of the slice before those of the warp.
  __device__ __forceinline__ void read(const Stage<Weights>& stage, const typename Shared<Weights, kRowGroups>::Slot& rows, int half,
                                       int lane, int step) {
#pragma unroll
    for (int b = 0; b < kBlocks; ++b)
#pragma unroll
      for (int c = 0; c < Weights::kWords / 4; ++c) {
        const uint4 chunk = stage.w[step + b][chunk_at<Weights>(Weights::kWords / 4 * lane + c)];
        w[b][4 * c] = chunk.x, w[b][4 * c + 1] = chunk.y, w[b][4 * c + 2] = chunk.z, w[b][4 * c + 3] = chunk.w;
      }
    const int k = 16 * (half + step);
    if constexpr (kRowGroups == 1 && kBlocks == 2) {
      uint32_t four[4];
      ldmatrix_x4(four, &rows[lane % 8][k + lane / 8 * 8]);
      x[0][0][0] = four[0], x[0][0][1] = four[1], x[1][0][0] = four[2], x[1][0][1] = four[3];
    } else if constexpr (kRowGroups == 1) {
      ldmatrix_x2(x[0][0], &rows[lane % 8][k + lane / 8 % 2 * 8]);
    } else {
#pragma unroll
      for (int b = 0; b < kBlocks; ++b)
#pragma unroll
        for (int g = 0; g < kRowGroups; g += 2) {
          uint32_t four[4];
          ldmatrix_x4(four, &rows[8 * g + lane / 16 * 8 + lane % 8][k + 16 * b + lane / 8 % 2 * 8]);
          x[b][g][0] = four[0], x[b][g][1] = four[1], x[b][g + 1][0] = four[2], x[b][g + 1][1] = four[3];
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

// Adds the products of one block of 16 k: one mma.sync for each 16 columns and 8 rows.
template <class Weights, int kRowGroups, int kPairs>
__device__ __forceinline__ void multiply_block(const uint32_t (&words)[Weights::kWords], const uint32_t (&x)[kRowGroups][2],
                                               const Scaling<kPairs>& scaling, Accumulator<kRowGroups>& sums) {
#pragma unroll
  for (int c = 0; c < 4; ++c) {
    uint32_t w[4];
    Weights::decode(words, c, scaling, w);
#pragma unroll
    for (int g = 0; g < kRowGroups; ++g) mma_m16n8k16<typename Weights::Element>(sums[c][g], w, x[g], sums[c][g]);
  }
}

// The scaling of the warp's block `step` of a slice, where that is another one than the block before has.
template <class Weights>
__device__ __forceinline__ void rescale(const Problem<typename Weights::Element>& p, const Place&, const Stage<Weights>& stage, int step,
                                        int lane, Scaling<1>& scaling) {
  if (step == 0 || (16 * step % Weights::kLeastGroup == 0 && 16 * step % (1u << p.group_shift) == 0))
    read_scaling<Weights>(p, stage, 16 * step >> p.group_shift, lane, scaling);
}
template <class Weights>
__device__ __forceinline__ void rescale(const Problem<typename Weights::Element>& p, const Place& at, const Stage<Weights>&, int step,
                                        int lane, Scaling<2>& scaling) {
  const int warp = static_cast<int>(threadIdx.x) / 32, first = at.slice * kSliceBlocks<Weights> + warp / kColumnWarps * Weights::kSteps;
  read_scaling<Weights>(p, first + step, min(at.column_tile * kTileColumns + warp % kColumnWarps * 64, p.n - 64), lane, scaling);
}

// Blocks of a warp whose operands are read at once: few rows leave registers for two, and act-order needs them itself.
template <int kRowGroups, int kPairs>
inline constexpr int kReadBlocks = kRowGroups <= 2 && kPairs == 1 ? 2 : 1;

// Adds the warp's blocks from kStep on, the first of which have these operands; the next ones' are read before they are needed. (By
// recursion: registers have no index.)
template <int kStep, class Weights, int kRowGroups, int kPairs, int kBlocks>
__device__ __forceinline__ void multiply_from(const Problem<typename Weights::Element>& p, const Place& at, const Stage<Weights>& stage,
                                              const typename Shared<Weights, kRowGroups>::Slot& rows,
                                              const Operands<Weights, kRowGroups, kBlocks>& operands, int half, int lane,
                                              Scaling<kPairs>& scaling, Accumulator<kRowGroups>& sums) {
  constexpr int next_step = kStep + kBlocks;
  constexpr bool is_early = kPairs == 1;
  Operands<Weights, kRowGroups, kBlocks> next;
  if constexpr (next_step < Weights::kSteps && is_early) next.read(stage, rows, half, lane, next_step);
#pragma unroll
  for (int b = 0; b < kBlocks; ++b) {
    rescale<Weights>(p, at, stage, kStep + b, lane, scaling);
    multiply_block<Weights, kRowGroups>(operands.w[b], operands.x[b], scaling, sums);
  }
  if constexpr (next_step < Weights::kSteps) {
    if constexpr (!is_early) next.read(stage, rows, half, lane, next_step);
    multiply_from<next_step, Weights, kRowGroups>(p, at, stage, rows, next, half, lane, scaling, sums);
  }
}

// Adds the warp's half of a slice: its blocks of 16 k in ascending order.
template <class Weights, int kRowGroups, int kPairs>
__device__ __forceinline__ void multiply_slice(const Problem<typename Weights::Element>& p, const Place& at, const Stage<Weights>& stage,
                                               const typename Shared<Weights, kRowGroups>::Slot& rows, Scaling<kPairs>& scaling,
                                               Accumulator<kRowGroups>& sums) {
  const int lane = static_cast<int>(threadIdx.x) % 32, half = static_cast<int>(threadIdx.x) / 32 / kColumnWarps * Weights::kSteps;
  Operands<Weights, kRowGroups, kReadBlocks<kRowGroups, kPairs>> operands;
  operands.read(stage, rows, half, lane, 0);
  multiply_from<0, Weights, kRowGroups>(p, at, stage, rows, operands, half, lane, scaling, sums);
}

// The same of a slice that k ends in.
template <class Weights, int kRowGroups, int kPairs>
__device__ __forceinline__ void multiply_cut_slice(const Problem<typename Weights::Element>& p, const Place& at,
                                                   const Stage<Weights>& stage, const typename Shared<Weights, kRowGroups>::Slot& rows,
                                                   Scaling<kPairs>& scaling, Accumulator<kRowGroups>& sums) {
  const int lane = static_cast<int>(threadIdx.x) % 32, half = static_cast<int>(threadIdx.x) / 32 / kColumnWarps * Weights::kSteps;
  const int steps = min(p.k / 16 - at.slice * kSliceBlocks<Weights> - half, Weights::kSteps);
#pragma unroll 1
  for (int i = 0; i < steps; ++i) {
    Operands<Weights, kRowGroups, 1> operands;
    operands.read(stage, rows, half, lane, i);
    rescale<Weights>(p, at, stage, i, lane, scaling);
    multiply_block<Weights, kRowGroups>(operands.w[0], operands.x[0], scaling, sums);
  }
}

}  // namespace assay::marlin
