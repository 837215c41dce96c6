// A block's tile of x * w on tensor cores: x of FP16 rows, w of rows that a functor brings as FP16, FP32 sums (mma.sync m16n8k16).
//
// Steps of 32 k. A step multiplies its first 16 k, then its last 16: sum = mma(x, w, sum), one instruction each, so an element's sum
// passes through the instructions in ascending order of the steps that the caller names. What lies beyond the edges of x or w counts as 0.
#pragma once

#include "kernels/common/half_words.cuh"
#include "kernels/ptx.h"

namespace assay {

inline constexpr int kTileThreads = 128;
inline constexpr int kTileColumns = 64;
inline constexpr int kTileK = 32;

// Four warps side by side, or two by two.
template <int kRows>
struct TileShape {
  static_assert(kRows == 16 || kRows == 64);
  static constexpr int kWarpRows = kRows == 16 ? 16 : 32;
  static constexpr int kWarpColumns = kRows == 16 ? 16 : 32;
  static constexpr int kWarpsAcross = kTileColumns / kWarpColumns;
  static constexpr int kDown = kWarpRows / 16;  // instructions in a warp's part
  static constexpr int kAcross = kWarpColumns / 8;
  static constexpr int kEightsOfX = (kRows * kTileK / kEight + kTileThreads - 1) / kTileThreads;  // of a thread
  static constexpr int kEightsOfW = kTileK * kTileColumns / kEight / kTileThreads;
};

// Two stages; rows are padded by 16 bytes so that ldmatrix meets all banks.
template <int kRows>
struct TileMemory {
  __half x[2][kRows][kTileK + kEight];
  __half w[2][kTileK][kTileColumns + kEight];
};

struct HalfMatrix {
  const __half* data;
  int64_t rows, columns, stride;
  bool vector;  // every row starts on 16 bytes

  // Eight elements of a row from `column`, a multiple of 8; zeros beyond the edges.
  __device__ __forceinline__ uint4 eight(int64_t row, int64_t column) const {
    if (row >= rows || column >= columns) return make_uint4(0, 0, 0, 0);
    const int64_t left = columns - column;
    return load_eight(data + row * stride + column, left < kEight ? static_cast<int>(left) : kEight, vector);
  }

  // As weights (w of multiply_tile).
  using Fetched = uint4;
  __device__ __forceinline__ Fetched fetch(int64_t k, int64_t column) const { return eight(k, column); }
  __device__ __forceinline__ static uint4 decode(const Fetched& fetched) { return fetched; }
};

// sum[i][j]: the fragment (PTX ISA, m16n8k16) of rows 16 * i and columns 8 * j of the warp's part.
template <int kRows>
using TileSum = float[TileShape<kRows>::kDown][TileShape<kRows>::kAcross][4];

template <int kRows>
__device__ __forceinline__ void multiply_stage(const TileMemory<kRows>& memory, int stage, TileSum<kRows>& sum) {
  using Shape = TileShape<kRows>;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = warp / Shape::kWarpsAcross * Shape::kWarpRows, column = warp % Shape::kWarpsAcross * Shape::kWarpColumns;
#pragma unroll
  for (int k = 0; k < kTileK; k += 16) {
    uint32_t x[Shape::kDown][4];
#pragma unroll
    for (int i = 0; i < Shape::kDown; ++i) ldmatrix_x4(x[i], &memory.x[stage][row + 16 * i + lane % 16][k + lane / 16 * 8]);
#pragma unroll
    for (int j = 0; j < Shape::kAcross; j += 2) {
      uint32_t w[4];
      ldmatrix_x4_trans(w, &memory.w[stage][k + lane % 16][column + 8 * j + lane / 16 * 8]);
      const uint32_t left[2] = {w[0], w[1]}, right[2] = {w[2], w[3]};
#pragma unroll
      for (int i = 0; i < Shape::kDown; ++i) {
        mma_m16n8k16<__half>(sum[i][j], x[i], left, sum[i][j]);
        mma_m16n8k16<__half>(sum[i][j + 1], x[i], right, sum[i][j + 1]);
      }
    }
  }
}

// Adds the steps first, first + stride, ... below `end` to the tile that begins at `row` and `column`. The whole block calls.
template <int kRows, class Weights>
__device__ __forceinline__ void multiply_tile(TileMemory<kRows>& memory, const HalfMatrix& x, const Weights& weights, int64_t row,
                                              int64_t column, int first, int end, int stride, TileSum<kRows>& sum) {
  using Shape = TileShape<kRows>;
  constexpr int kEightsInX = kTileK / kEight, kEightsInW = kTileColumns / kEight;  // of a row
  const int thread = threadIdx.x;
  uint4 x_fetched[Shape::kEightsOfX];
  typename Weights::Fetched w_fetched[Shape::kEightsOfW];

  const auto fetch = [&](int step) {
    const int64_t k = static_cast<int64_t>(step) * kTileK;
#pragma unroll
    for (int i = 0; i < Shape::kEightsOfX; ++i) {
      const int index = thread + i * kTileThreads;
      if (index < kRows * kEightsInX) x_fetched[i] = x.eight(row + index / kEightsInX, k + index % kEightsInX * kEight);
    }
#pragma unroll
    for (int i = 0; i < Shape::kEightsOfW; ++i) {
      const int index = thread + i * kTileThreads;
      w_fetched[i] = weights.fetch(k + index / kEightsInW, column + index % kEightsInW * kEight);
    }
  };
  const auto store = [&](int stage) {
#pragma unroll
    for (int i = 0; i < Shape::kEightsOfX; ++i) {
      const int index = thread + i * kTileThreads;
      if (index < kRows * kEightsInX)
        *reinterpret_cast<uint4*>(&memory.x[stage][index / kEightsInX][index % kEightsInX * kEight]) = x_fetched[i];
    }
#pragma unroll
    for (int i = 0; i < Shape::kEightsOfW; ++i) {
      const int index = thread + i * kTileThreads;
      *reinterpret_cast<uint4*>(&memory.w[stage][index / kEightsInW][index % kEightsInW * kEight]) = weights.decode(w_fetched[i]);
    }
  };

  // A stage is written again two steps later: all threads have read it when they pass the barrier between.
  if (first < end) fetch(first);
  for (int step = first, stage = 0; step < end; step += stride, stage ^= 1) {
    store(stage);
    __syncthreads();
    if (step + stride < end) fetch(step + stride);
    multiply_stage(memory, stage, sum);
  }
}

// Rounds the sums to FP16, once, and writes those within rows x columns. columns is even; paired: every row starts on 4 bytes.
template <int kRows>
__device__ __forceinline__ void store_tile(const TileSum<kRows>& sum, __half* target, int64_t stride, bool paired, int64_t row,
                                           int64_t column, int64_t rows, int64_t columns) {
  using Shape = TileShape<kRows>;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  row += warp / Shape::kWarpsAcross * Shape::kWarpRows + lane / 4;
  column += warp % Shape::kWarpsAcross * Shape::kWarpColumns + lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < Shape::kDown; ++i)
#pragma unroll
    for (int j = 0; j < Shape::kAcross; ++j)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int64_t m = row + 16 * i + 8 * half, n = column + 8 * j;
        if (m < rows && n < columns)
          store_pair(target + m * stride + n, __floats2half2_rn(sum[i][j][2 * half], sum[i][j][2 * half + 1]), paired);
      }
}

}  // namespace assay
