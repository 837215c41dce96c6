// A thread's share of the copies, slice after slice. What stays the same within a tile is kept from one slice to the next: the threads
// have little time for anything but weights.
#pragma once

#include "kernels/marlin/shared.cuh"

namespace assay::marlin {

// Weights, scales and zero points of the thread's warp. Warps beyond the last column take what the last ones take; nobody stores it.
template <class Weights, bool kActOrder>
class WeightLoader {
  using T = typename Weights::Element;
  static constexpr int kChunks = 8 * Weights::kWords;  // of 16 bytes: 16 k of 64 columns
  static constexpr int kScaleChunks = 8;               // of 64 scales; a lane for each of two groups
  static constexpr int kZeroChunks = 2;                // of 64 zero points; the next lanes

 public:
  __device__ __forceinline__ WeightLoader(const Problem<T>& p, int at) : place(p.line, at) { enter_tile(p); }

  // Starts the copies of the next slice. Blocks of 16 k beyond the end of k are left alone: nobody reads them.
  __device__ __forceinline__ void load(const Problem<T>& p, Stage<Weights>& stage) {
    if (place.slice != p.cut_slice)
      copy<true>(p, stage);
    else
      copy<false>(p, stage);
    w += step(p) * kSliceBlocks<Weights>;
    if (place.advance(p.line, 1)) enter_tile(p);
  }

 private:
  Place place;
  const uint4* w;           // what the thread copies of the slice's first block of 16 k
  const uint4* parameters;  // its chunk of the scales or zero points of group 0
  int parameter_step;       // chunks from one group to the next
  int parameter_group;      // counted from the slice's first
  bool has_parameters;

  static __device__ __forceinline__ int lane() { return static_cast<int>(threadIdx.x) % 32; }
  static __device__ __forceinline__ int column_warp() { return static_cast<int>(threadIdx.x) / 32 % kColumnWarps; }
  static __device__ __forceinline__ int first_block() { return static_cast<int>(threadIdx.x) / 32 / kColumnWarps * Weights::kSteps; }
  static __device__ __forceinline__ int64_t step(const Problem<T>& p) { return static_cast<int64_t>(p.n / 64) * kChunks; }

  __device__ __forceinline__ void enter_tile(const Problem<T>& p) {
    const int column = min(place.column_tile * kColumnWarps + column_warp(), p.n / 64 - 1);
    w = p.w + (place.slice * kSliceBlocks<Weights> + first_block()) * step(p) + column * kChunks + lane();
    if constexpr (!kActOrder) {
      constexpr int first_zero = Stage<Weights>::kGroups * kScaleChunks;
      const bool is_zero = lane() >= first_zero;
      const int chunk = is_zero ? lane() - first_zero : lane(), chunks = is_zero ? kZeroChunks : kScaleChunks;
      parameters = reinterpret_cast<const uint4*>(is_zero ? static_cast<const void*>(p.zeros) : p.scale) + column * chunks + chunk % chunks;
      parameter_step = p.n / 64 * chunks;
      parameter_group = chunk / chunks;
      has_parameters = (!is_zero || p.zeros) && parameter_group < max(16 * Weights::kSteps >> p.group_shift, 1);
    }
  }

  template <bool kWhole>
  __device__ __forceinline__ void copy(const Problem<T>& p, Stage<Weights>& stage) const {
    const int block = place.slice * kSliceBlocks<Weights> + first_block();
#pragma unroll
    for (int i = 0; i < Weights::kSteps; ++i) {
      if (!kWhole && block + i >= p.k / 16) break;
#pragma unroll
      for (int c = 0; c < kChunks; c += 32) cp_async16(&stage.w[i][chunk_at<Weights>(lane() + c)], w + i * step(p) + c);
    }
    if constexpr (!kActOrder) {
      // The lanes' chunks follow each other in the stage: scales, then zero points.
      const int group = (16 * block >> p.group_shift) + parameter_group;
      if (has_parameters && (kWhole || group <= (p.k - 1) >> p.group_shift))
        cp_async16(reinterpret_cast<uint4*>(&stage.scale) + lane(), parameters + static_cast<int64_t>(group) * parameter_step);
    }
  }
};

// Rows of x, by all threads of the block. A thread has chunks of 16 bytes of the same slice of every batch.
template <class Weights, int kRowGroups>
class RowLoader {
  using T = typename Weights::Element;
  using Slots = typename Shared<Weights, kRowGroups>::Slot[kSlots<Weights, kRowGroups>];
  static constexpr int kSliceChunks = kSliceK<Weights> / 8;                   // of a row in a slice
  static constexpr int kChunks = kBatch<Weights, kRowGroups> * kSliceChunks;  // of a row in a batch
  static constexpr int kRowStep = kThreads / kChunks;                         // rows that all threads copy at once

 public:
  __device__ __forceinline__ RowLoader(const Problem<T>& p, int begin, int end)
      : place(p.line, begin + slice()), left(end - begin - slice()), slot(slice()) {
    enter_tile(p);
  }

  // Starts the copies of the next batch; slices beyond the stripe, chunks beyond the end of k and rows beyond m are left alone.
  __device__ __forceinline__ void load(const Problem<T>& p, Slots& slots) {
    if (left > 0 && place.slice * kSliceK<Weights> + column() < p.k) {
#pragma unroll
      for (int row = 0; row < 8 * kRowGroups; row += kRowStep)
        if (row < rows) cp_async16(&slots[slot][row + first_row()][column()], x + row * p.x_stride);
    }
    left -= kBatch<Weights, kRowGroups>;
    slot = (slot + kBatch<Weights, kRowGroups>) % kSlots<Weights, kRowGroups>;
    x += kBatch<Weights, kRowGroups> * kSliceK<Weights>;
    if (left > 0 && place.advance(p.line, kBatch<Weights, kRowGroups>)) enter_tile(p);
  }

 private:
  Place place;
  int left;    // slices of the stripe from the thread's next one on
  int slot;    // for that one
  const T* x;  // what the thread copies of its first row
  int rows;    // of the tile, from that one on

  static __device__ __forceinline__ int slice() { return static_cast<int>(threadIdx.x) % kChunks / kSliceChunks; }
  static __device__ __forceinline__ int first_row() { return static_cast<int>(threadIdx.x) / kChunks; }
  static __device__ __forceinline__ int column() { return static_cast<int>(threadIdx.x) % kSliceChunks * 8; }

  __device__ __forceinline__ void enter_tile(const Problem<T>& p) {
    const int row = place.row_block * 8 * kRowGroups + first_row();
    x = p.x + row * p.x_stride + place.slice * kSliceK<Weights> + column();
    rows = min(p.m - row, 8 * kRowGroups - first_row());
  }
};

}  // namespace assay::marlin
