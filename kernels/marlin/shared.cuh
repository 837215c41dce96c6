// Shared memory of a block. Every warp has a ring of its own for what no other warp reads, its weights and their scales: it waits for its
// own copies alone. Rows of x, which all warps read, come in batches of slices, with one barrier a batch.
#pragma once

#include "kernels/marlin/problem.cuh"
#include "kernels/ptx.h"

namespace assay::marlin {

inline constexpr int kColumnWarps = 4;  // each takes 64 columns of the tile
inline constexpr int kDepthWarps = 2;   // each takes one half of a slice
inline constexpr int kWarps = kColumnWarps * kDepthWarps;
inline constexpr int kThreads = 32 * kWarps;
inline constexpr int kStages = 4;                     // slices of a warp's ring; copies run kStages - 1 ahead
inline constexpr int kPlanePitch = kTileColumns + 4;  // floats: the rows of an accumulator meet different banks

// Weights::kSteps: blocks of 16 k that a warp takes of a slice; Weights::kWords: words of w that a thread holds of one block.
template <class Weights>
inline constexpr int kSliceBlocks = kDepthWarps* Weights::kSteps;
template <class Weights>
inline constexpr int kSliceK = 16 * kSliceBlocks<Weights>;

// A warp's part of a slice.
template <class Weights>
struct Stage {
  static constexpr int kGroups = 2;  // of 32 k, at most

  uint4 w[Weights::kSteps][8 * Weights::kWords];
  typename Weights::Element scale[kGroups][64];
  uint32_t zeros[kGroups][8];
};

// Slices of x in a batch and batches ahead. A batch is asked for together with the weights kStages - 1 slices on, so it must not be needed
// earlier than these: kBatch * kBatchesAhead >= kStages - 1. Large batches of 64 rows do not fit into a block's memory, those of 16 rows
// and 128 k not twice into a multiprocessor's.
template <class Weights, int kRowGroups>
inline constexpr int kBatch = kRowGroups == 8 || (kRowGroups == 2 && kSliceK<Weights> == 128) ? 1 : 4;
template <class Weights, int kRowGroups>
inline constexpr int kBatchesAhead = (kStages - 2) / kBatch<Weights, kRowGroups> + 1;
template <class Weights, int kRowGroups>
inline constexpr int kSlots = kBatch<Weights, kRowGroups>*(kBatchesAhead<Weights, kRowGroups> + 1);

template <class Weights, int kRowGroups>
struct Shared {
  using Slot = typename Weights::Element[8 * kRowGroups][kSliceK<Weights> + 8];  // 16 bytes more than a slice: for the banks

  Stage<Weights> stages[kWarps][kStages];
  Slot x[kSlots<Weights, kRowGroups>];
  float planes[kDepthWarps][8][kPlanePitch];
};

// Blocks that share a multiprocessor: two of few rows, for which weights are what moves. Act-order needs the registers of both. On sm_90 a
// multiprocessor has 228 KiB, of which every block takes one for the system (CUDA C++ Programming Guide, compute capability 9.0).
template <int kRowGroups, bool kActOrder>
inline constexpr int kBlocks = kRowGroups <= 2 && !kActOrder ? 2 : 1;
template <class Weights, int kRowGroups, bool kActOrder>
inline constexpr bool kBlocksFit = kBlocks<kRowGroups, kActOrder> * (sizeof(Shared<Weights, kRowGroups>) + 1024) <= 228 * 1024;

// Where chunk `index` (16 bytes) of a block's 64 columns lies in shared memory. A thread holding two chunks reads them at 32 bytes from
// its neighbour's: swapping odd and even chunks of every other eight keeps eight threads in different banks.
template <class Weights>
__device__ __forceinline__ int chunk_at(int index) {
  return Weights::kWords == 4 ? index : index ^ (index >> 3 & 1);
}

}  // namespace assay::marlin
