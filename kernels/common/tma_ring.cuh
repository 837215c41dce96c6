// A ring of stages in shared memory: one thread fills them through TMA with K-major tiles of A and B, 128 bytes of k at a time under the
// 128-byte swizzle; warpgroups multiply them with wgmma.
//
// The block is `kRows / 64` consumer warpgroups, each with 64 rows of the tile, then a producer warp, of which one thread works. Bytes
// outside the matrices are zeros, in k too.
#pragma once

#include "kernels/ptx.h"

namespace assay {

inline constexpr int kStageK = 128;        // bytes of k in a stage: as wide as the swizzle
inline constexpr int kSwizzleSpan = 1024;  // where its pattern repeats, and tiles begin

// kTrading: the producer is a whole warpgroup, whose registers the (two) consumers get: 240 a thread, not 168.
template <int kTileRows, int kTileColumns, int kRingStages, bool kTrading = false>
struct RingTile {
  static_assert(kTileRows % 64 == 0 && kTileColumns % 8 == 0 && (!kTrading || kTileRows == 128));
  static constexpr int kRows = kTileRows, kColumns = kTileColumns, kStages = kRingStages;
  static constexpr int kConsumerWarps = kRows / 16, kThreads = 32 * (kConsumerWarps + (kTrading ? 4 : 1));
  static constexpr bool kTrades = kTrading;
  static constexpr int kABytes = kRows * kStageK, kStageBytes = kABytes + kColumns * kStageK;
  static constexpr int kSharedBytes = kStages * kStageBytes + kSwizzleSpan;  // dynamic
};

template <class Tile>
struct Ring {
  std::uint64_t full[Tile::kStages];   // the producer's bytes have landed
  std::uint64_t empty[Tile::kStages];  // every consumer warp has read them
};

// Where a walk round the ring is: the slot, and the parity of the phase in which it is filled.
template <class Tile>
struct RingCursor {
  int slot = 0;
  unsigned parity = 0;

  __device__ __forceinline__ void advance() {
    if (++slot == Tile::kStages) slot = 0, parity ^= 1;
  }
};

__device__ __forceinline__ unsigned char* aligned_stages(unsigned char* shared) {
  return shared + (kSwizzleSpan - reinterpret_cast<std::uintptr_t>(shared) % kSwizzleSpan) % kSwizzleSpan;
}

// By all threads of the block, before anything else is done with the ring.
template <class Tile>
__device__ __forceinline__ void start_ring(Ring<Tile>& ring) {
  if (threadIdx.x == 0) {
    for (int slot = 0; slot < Tile::kStages; ++slot) {
      mbarrier_init(&ring.full[slot], 1);
      mbarrier_init(&ring.empty[slot], Tile::kConsumerWarps);
    }
    mbarrier_fence_init();
  }
  __syncthreads();
}

// All warps but the consumers: `steps` stages of the rows of A from `row` on and those of B from `column` on.
template <class Tile>
__device__ __forceinline__ void fill_ring(Ring<Tile>& ring, unsigned char* stages, const TensorMap& a, const TensorMap& b, int row,
                                          int column, int steps) {
  if constexpr (Tile::kTrades) give_registers<24>();
  if (threadIdx.x != 32 * Tile::kConsumerWarps) return;
  RingCursor<Tile> at;
  for (int step = 0; step < steps; ++step, at.advance()) {
    unsigned char* stage = stages + at.slot * Tile::kStageBytes;
    std::uint64_t* full = &ring.full[at.slot];
    mbarrier_wait(&ring.empty[at.slot], at.parity ^ 1);
    mbarrier_arrive_expect_tx(full, Tile::kStageBytes);
    load_box(stage, a, full, step * kStageK, row);
    load_box(stage + Tile::kABytes, b, full, step * kStageK, column);
  }
}

// A consumer warp has read a slot: its wgmma have been waited for.
template <class Tile>
__device__ __forceinline__ void release_slot(Ring<Tile>& ring, int slot) {
  if (threadIdx.x % 32 == 0) mbarrier_arrive(&ring.empty[slot]);
}

// Starts the products of a stage, k ascending in steps of 32: sums = A * B, + sums if `accumulate`. a, b: rows of 128 bytes in the
// stage, from a multiple of 8 rows on.
template <class Wgmma, int kWords>
__device__ __forceinline__ void multiply_stage(float (&sums)[kWords], const unsigned char* a, const unsigned char* b, bool accumulate) {
  constexpr unsigned kEightRows = 8 * kStageK;
  wgmma_fence(sums);
#pragma unroll
  for (int k = 0; k < kStageK; k += 32) {
    Wgmma::multiply(sums, shared_matrix<Swizzle::bytes128>(a + k, 16, kEightRows), shared_matrix<Swizzle::bytes128>(b + k, 16, kEightRows),
                    accumulate || k > 0);
  }
  wgmma_commit();
}

// Maps of row-major matrices of bytes, read in the boxes of a tile. cudaErrorInvalidValue where TMA's rules forbid it.
template <class Tile, class T>
cudaError_t make_ring_maps(TensorMap* a_map, const T* a, int64_t a_stride, int64_t m, TensorMap* b_map, const T* b, int64_t b_stride,
                           int64_t n, int64_t k) {
  static_assert(sizeof(T) == 1);
  const auto map = [k](TensorMap* to, const T* data, int64_t rows, int64_t stride, int box_rows) {
    return make_tensor_map<T>(to, data, static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(stride),
                              kStageK, static_cast<unsigned>(box_rows), Swizzle::bytes128);
  };
  const cudaError_t error = map(a_map, a, m, a_stride, Tile::kRows);
  return error != cudaSuccess ? error : map(b_map, b, n, b_stride, Tile::kColumns);
}

}  // namespace assay
