// A block's tile of a product a * b^T of row-major matrices: mma.sync over a pipeline of shared-memory stages that cp.async fills.
//
// BF16 elements are summed in FP32 by m16n8k16, INT8 elements in int32 (exact, wraps) by m16n8k32. Every element of the tile is one chain
// of these instructions on one accumulator that starts at 0: blocks of 16 (INT8: 32) k in ascending order from the first k on. The last
// block is filled up with zeros; instructions on nothing but zeros, with which a tile fills its last step, leave an accumulator as it is
// (it is never -0, and its exponent is above that of a zero product). So an element's bits depend on its row of a, its row of b and k
// alone, not on the tile's shape, its place or the way of copying.
#pragma once

#include "kernels/common/tile_copy.cuh"

namespace assay {

// kRows x kColumns elements by kWarpRows x kWarpColumns warps, kStepBytes of k a step, kStages steps in shared memory.
template <int kRows_, int kColumns_, int kStepBytes_, int kRowWarps_, int kColumnWarps_, int kStages_>
struct Tile {
  static constexpr int kRows = kRows_, kColumns = kColumns_, kStepBytes = kStepBytes_, kStages = kStages_;
  static constexpr int kRowWarps = kRowWarps_, kColumnWarps = kColumnWarps_;
  static constexpr int kThreads = 32 * kRowWarps * kColumnWarps;
  static constexpr int kRowMatrices = kRows / kRowWarps / 16;          // of 16 rows, a warp
  static constexpr int kColumnMatrices = kColumns / kColumnWarps / 8;  // of 8 columns, a warp
  static constexpr int kStageBytes = (kRows + kColumns) * kStepBytes;
  static constexpr int kSharedBytes = kStages * kStageBytes;
  static_assert(kRows == 16 * kRowWarps * kRowMatrices && kColumns == 8 * kColumnWarps * kColumnMatrices && kColumnMatrices % 2 == 0);
};

// Few rows: the weights are read once, so what counts is how many of their bytes are under way. Many: how often shared memory is read.
using FewRows = Tile<16, 64, 256, 1, 4, 4>;
using SomeRows = Tile<64, 64, 128, 2, 2, 4>;
using ManyRows = Tile<128, 128, 64, 2, 2, 4>;

template <class T>
using Accumulator = std::conditional_t<std::is_same_v<T, int8_t>, int, float>;

// Of a warp; element 2h + e of a matrix stands in row lane / 4 + 8h and column 2 (lane % 4) + e of it.
template <class Tile, class T>
using WarpSums = Accumulator<T>[Tile::kRowMatrices][Tile::kColumnMatrices][4];

// A tile's first element in the product, for this thread's warp.
template <class Tile>
__device__ __forceinline__ int warp_row() {
  return static_cast<int>(threadIdx.x) / 32 / Tile::kColumnWarps * (16 * Tile::kRowMatrices);
}
template <class Tile>
__device__ __forceinline__ int warp_column() {
  return static_cast<int>(threadIdx.x) / 32 % Tile::kColumnWarps * (8 * Tile::kColumnMatrices);
}

// What one instruction of every pair of matrices needs: 32 bytes of k.
template <class Tile>
struct Fragments {
  uint32_t a[Tile::kRowMatrices][4];
  uint32_t b[Tile::kColumnMatrices][2];

  __device__ __forceinline__ void load(const unsigned char* stage, int slice) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int i = 0; i < Tile::kRowMatrices; ++i)
      ldmatrix_x4(a[i], stage + chunk_offset<Tile::kStepBytes>(warp_row<Tile>() + i * 16 + lane % 16, 2 * slice + lane / 16));
    const unsigned char* b_tile = stage + Tile::kRows * Tile::kStepBytes;
#pragma unroll
    for (int j = 0; j < Tile::kColumnMatrices; j += 2) {
      uint32_t pair[4];
      const int row = warp_column<Tile>() + j * 8 + lane % 8 + lane / 16 * 8;
      ldmatrix_x4(pair, b_tile + chunk_offset<Tile::kStepBytes>(row, 2 * slice + lane / 8 % 2));
      b[j][0] = pair[0], b[j][1] = pair[1], b[j + 1][0] = pair[2], b[j + 1][1] = pair[3];
    }
  }

  template <class T>
  __device__ __forceinline__ void multiply(WarpSums<Tile, T>& sums) const {
#pragma unroll
    for (int i = 0; i < Tile::kRowMatrices; ++i)
#pragma unroll
      for (int j = 0; j < Tile::kColumnMatrices; ++j) {
        if constexpr (std::is_same_v<T, int8_t>)
          mma_m16n8k32<int8_t>(sums[i][j], a[i], b[j], sums[i][j]);
        else
          mma_m16n8k16<T>(sums[i][j], a[i], b[j], sums[i][j]);
      }
  }
};

// A tile's operands: where its first row and first k are, how far rows are apart and how many there are from there on.
template <class T>
struct TileOperand {
  const T* first;
  int64_t stride;
  int64_t rows;
};

// sums = the tile's products over k >= 1 elements. All threads of the block call; `shared` has Tile::kSharedBytes.
template <class Tile, bool kAligned, class T>
__device__ __forceinline__ void multiply_tile(const TileOperand<T>& a, const TileOperand<T>& b, int64_t k, unsigned char* shared,
                                              WarpSums<Tile, T>& sums) {
  constexpr int kStepK = Tile::kStepBytes / static_cast<int>(sizeof(T)), kStages = Tile::kStages, kSlices = Tile::kStepBytes / 32;
  static_assert(kSlices % 2 == 0, "multiply_tile: a step's first slice is in the first fragments");
  const int steps = static_cast<int>((k - 1) / kStepK) + 1;
  const int end_bytes = static_cast<int>((k - 1) % kStepK + 1) * static_cast<int>(sizeof(T));
  TileCopy<T, Tile::kRows, Tile::kStepBytes, Tile::kThreads, kAligned> a_copy(a.first, a.stride, a.rows, end_bytes);
  TileCopy<T, Tile::kColumns, Tile::kStepBytes, Tile::kThreads, kAligned> b_copy(b.first, b.stride, b.rows, end_bytes);
  const auto start = [&](int step, int stage) {
    unsigned char* at = shared + stage * Tile::kStageBytes;
    a_copy.start(at, step + 1 == steps);
    b_copy.start(at + Tile::kRows * Tile::kStepBytes, step + 1 == steps);
  };

  // All stages but one are under way before the first is used. A group is committed even where nothing was started, so that the number of
  // groups to wait for stays the same.
#pragma unroll
  for (int step = 0; step < kStages - 1; ++step) {
    if (step < steps) start(step, step);
    cp_async_commit();
  }

  // A step's copies have landed for all threads, and all threads have done with the stage before it.
  const auto meet = [] {
    cp_async_wait<kStages - 2>();
    __syncthreads();
  };
  Fragments<Tile> fragments[2];
  meet();
  fragments[0].load(shared, 0);
  int stage = 0, filled = kStages - 1;
  for (int step = 0; step < steps; ++step) {
    const int next = stage + 1 == kStages ? 0 : stage + 1;
#pragma unroll
    for (int slice = 0; slice < kSlices; ++slice) {
      // What is multiplied next is loaded before this slice is multiplied, over the end of the step too.
      if (slice + 1 < kSlices) {
        fragments[(slice + 1) % 2].load(shared + stage * Tile::kStageBytes, slice + 1);
      } else if (step + 1 < steps) {
        meet();
        fragments[0].load(shared + next * Tile::kStageBytes, 0);
      }
      if (slice == 0) {
        if (step + kStages - 1 < steps) start(step + kStages - 1, filled);
        cp_async_commit();
      }
      fragments[slice % 2].template multiply<T>(sums);
    }
    filled = stage;
    stage = next;
  }
}

// Which tile of the product a block makes. Blocks that run at the same time share rows of both operands: they go down bands of kBand tiles,
// column by column.
struct TilePlace {
  int64_t row, column;  // of tiles
};

__device__ __forceinline__ TilePlace tile_place(int64_t index, int64_t row_tiles, int64_t column_tiles) {
  constexpr int64_t kBand = 16;
  const int64_t band = index / (kBand * column_tiles), within = index % (kBand * column_tiles);
  const int64_t height = row_tiles - band * kBand < kBand ? row_tiles - band * kBand : kBand;
  return {band * kBand + within % height, within / height};
}

}  // namespace assay
