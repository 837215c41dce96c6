// Shared memory of a block, and the copies that fill it.
#pragma once

#include "kernels/marlin/problem.cuh"
#include "kernels/ptx.h"

namespace assay::marlin {

inline constexpr int kColumnWarps = 4;  // each takes 64 columns of the tile
inline constexpr int kDepthWarps = 2;   // each takes one half of a slice
inline constexpr int kWarps = kColumnWarps * kDepthWarps;
inline constexpr int kThreads = 32 * kWarps;
inline constexpr int kStages = 4;
inline constexpr int kPlanePitch = kTileColumns + 4;  // floats: the rows of an accumulator meet different banks

// Weights::kSteps: blocks of 16 k that a warp takes of a slice; Weights::kWords: words of w that a thread holds of one block.
template <class Weights>
inline constexpr int kSliceBlocks = kDepthWarps* Weights::kSteps;
template <class Weights>
inline constexpr int kSliceK = 16 * kSliceBlocks<Weights>;

template <class Weights, int kRowGroups>
struct Stage {
  using T = typename Weights::Element;
  static constexpr int kRows = 8 * kRowGroups;
  static constexpr int kGroups = kSliceK<Weights> > Weights::kLeastGroup ? kSliceK<Weights> / Weights::kLeastGroup : 1;

  uint4 w[kWarps][Weights::kSteps][8 * Weights::kWords];
  T x[kRows][kSliceK<Weights> + 8];  // 16 bytes more than a slice: eight rows meet different banks
  T scale[kGroups][kTileColumns];
  uint32_t zeros[kGroups][kTileColumns / 8];
};

template <class Weights, int kRowGroups>
struct Shared {
  Stage<Weights, kRowGroups> stages[kStages];
  float planes[kDepthWarps][8][kPlanePitch];
};

// Where chunk `index` (16 bytes) of a block's 64 columns lies in shared memory. A thread holding two chunks reads them at 32 bytes from
// its neighbour's: swapping odd and even chunks of every other eight keeps eight threads in different banks.
template <class Weights>
__device__ __forceinline__ int chunk_at(int index) {
  return Weights::kWords == 4 ? index : index ^ (index >> 3 & 1);
}

// A thread's share of the copies, slice after slice. What stays the same within a tile is kept from one slice to the next: the threads
// have little time for anything but weights.
template <class Weights, int kRowGroups, bool kActOrder>
class Loader {
  using T = typename Weights::Element;
  static constexpr int kChunks = 8 * Weights::kWords;      // of 16 bytes: 16 k of 64 columns
  static constexpr int kRowChunks = kSliceK<Weights> / 8;  // of a row of x
  static constexpr int kRowStep = kThreads / kRowChunks;   // rows that all threads copy at once
  static constexpr int kScaleChunks = kTileColumns / 8;    // of a group
  static constexpr int kZeroChunks = kTileColumns / 32;

 public:
  __device__ __forceinline__ Loader(const Problem<T>& p, int at) : place(p.line, at) { enter_tile(p); }

  // Starts the copies of the next slice. Blocks of 16 k beyond the end of k and columns beyond n are left alone: nobody reads them.
  __device__ __forceinline__ void load(const Problem<T>& p, Stage<Weights, kRowGroups>& stage) {
    if ((place.slice + 1) * kSliceK<Weights> <= p.k)
      copy<true>(p, stage);
    else
      copy<false>(p, stage);
    w += w_step(p) * kSliceBlocks<Weights>;
    x += kSliceK<Weights>;
    if (place.advance(p.line)) enter_tile(p);
  }

 private:
  Place place;
  const uint4* w;  // what the thread copies of the slice's first block of 16 k
  const T* x;      // and of its first rows
  const uint4* scale;
  const uint4* zeros;  // and of the first slice's scales and zero points
  bool has_w, has_scale, has_zeros;
  int rows;  // of the tile, from the thread's first one on

  static __device__ __forceinline__ int thread() { return static_cast<int>(threadIdx.x); }
  static __device__ __forceinline__ int warp() { return thread() / 32; }
  static __device__ __forceinline__ int last_first() { return kThreads - 1 - thread(); }  // the first threads may have more rows of x
  static __device__ __forceinline__ int64_t w_step(const Problem<T>& p) { return static_cast<int64_t>(p.n / 64) * kChunks; }

  __device__ __forceinline__ void enter_tile(const Problem<T>& p) {
    const int first_column = place.column_tile * kTileColumns;
    const int column = first_column / 64 + warp() % kColumnWarps, depth = warp() / kColumnWarps * Weights::kSteps;
    w = p.w + (place.slice * kSliceBlocks<Weights> + depth) * w_step(p) + column * kChunks + thread() % 32;
    has_w = column < p.n / 64;
    const int row = place.row_block * 8 * kRowGroups + thread() / kRowChunks;
    x = p.x + row * p.x_stride + place.slice * kSliceK<Weights> + thread() % kRowChunks * 8;
    rows = min(p.m - row, 8 * kRowGroups - thread() / kRowChunks);
    if constexpr (!kActOrder) {
      const int groups = max(kSliceK<Weights> >> p.group_shift, 1);  // that a slice meets
      const int scale_column = first_column + last_first() % kScaleChunks * 8, scale_group = last_first() / kScaleChunks;
      scale = reinterpret_cast<const uint4*>(p.scale) + (static_cast<int64_t>(scale_group) * p.n + scale_column) / 8;
      has_scale = scale_group < groups && scale_column < p.n;
      const int zero_column = first_column + last_first() % kZeroChunks * 32, zero_group = last_first() / kZeroChunks;
      zeros = reinterpret_cast<const uint4*>(p.zeros) + (static_cast<int64_t>(zero_group) * p.n + zero_column) / 32;
      has_zeros = p.zeros && zero_group < groups && zero_column < p.n;
    }
  }

  template <bool kWhole>
  __device__ __forceinline__ void copy(const Problem<T>& p, Stage<Weights, kRowGroups>& stage) const {
    // Weights: each warp its own.
    if (has_w) {
      const int blocks = p.k / 16 - place.slice * kSliceBlocks<Weights> - warp() / kColumnWarps * Weights::kSteps;
#pragma unroll
      for (int i = 0; i < Weights::kSteps; ++i) {
        if (!kWhole && i >= blocks) break;
#pragma unroll
        for (int c = 0; c < kChunks; c += 32) cp_async16(&stage.w[warp()][i][chunk_at<Weights>(thread() % 32 + c)], w + i * w_step(p) + c);
      }
    }

    // Rows of x.
    const int first_k = place.slice * kSliceK<Weights>, k = thread() % kRowChunks * 8;
    if (kWhole || first_k + k < p.k) {
#pragma unroll
      for (int row = 0; row < 8 * kRowGroups; row += kRowStep)
        if (row < rows) cp_async16(&stage.x[row + thread() / kRowChunks][k], x + row * p.x_stride);
    }

    // Scales and zero points of the groups that the slice meets.
    if constexpr (!kActOrder) {
      const int first_group = first_k >> p.group_shift, groups_left = ((p.k - 1) >> p.group_shift) - first_group + 1;
      const int group = last_first() / kScaleChunks, zero_group = last_first() / kZeroChunks;
      if (has_scale && (kWhole || group < groups_left))
        cp_async16(&stage.scale[group][last_first() % kScaleChunks * 8], scale + static_cast<int64_t>(first_group) * (p.n / 8));
      if (has_zeros && (kWhole || zero_group < groups_left))
        cp_async16(&stage.zeros[zero_group][last_first() % kZeroChunks * 4], zeros + static_cast<int64_t>(first_group) * (p.n / 32));
    }
  }
};

}  // namespace assay::marlin
