// What emulated plug-ins have of cooperative groups: the block, tiles of 1 to 32 threads of a warp, and cooperative_groups/reduce.h.
#pragma once

#include "kernels/simt/device.hpp"

namespace cooperative_groups {

class thread_block {
 public:
  void sync(simt::Site site = simt::here()) const { __syncthreads(site); }
  unsigned thread_rank() const { return simt::current->rank; }
  unsigned size() const { return num_threads(); }
  unsigned num_threads() const {
    const dim3 d = simt::current->block_dim;
    return d.x * d.y * d.z;
  }
  dim3 group_index() const { return dim3(simt::current->block_index.x, simt::current->block_index.y, simt::current->block_index.z); }
  dim3 thread_index() const { return dim3(simt::current->thread_index.x, simt::current->thread_index.y, simt::current->thread_index.z); }
  dim3 dim_threads() const { return simt::current->block_dim; }
};

inline thread_block this_thread_block() { return {}; }

// Threads of one warp whose lanes follow each other, `kSize` of them, a power of two.
template <unsigned kSize>
class thread_block_tile {
  static_assert(kSize >= 1 && kSize <= 32 && (kSize & (kSize - 1)) == 0, "the emulator has tiles of 1, 2, 4, 8, 16 and 32 threads");

 public:
  void sync(simt::Site site = simt::here()) const { __syncwarp(mask(), site); }
  unsigned thread_rank() const { return simt::current->rank % kSize; }
  static constexpr unsigned size() { return kSize; }
  static constexpr unsigned num_threads() { return kSize; }
  unsigned meta_group_rank() const { return simt::current->rank / kSize; }
  unsigned meta_group_size() const { return (thread_block().num_threads() + kSize - 1) / kSize; }

  template <class T>
  T shfl(T value, int source, simt::Site site = simt::here()) const {
    return __shfl_sync(mask(), value, source, kSize, site);
  }
  template <class T>
  T shfl_up(T value, unsigned delta, simt::Site site = simt::here()) const {
    return __shfl_up_sync(mask(), value, delta, kSize, site);
  }
  template <class T>
  T shfl_down(T value, unsigned delta, simt::Site site = simt::here()) const {
    return __shfl_down_sync(mask(), value, delta, kSize, site);
  }
  template <class T>
  T shfl_xor(T value, unsigned lane_mask, simt::Site site = simt::here()) const {
    return __shfl_xor_sync(mask(), value, static_cast<int>(lane_mask), kSize, site);
  }
  int any(int predicate, simt::Site site = simt::here()) const { return __any_sync(mask(), predicate, site); }
  int all(int predicate, simt::Site site = simt::here()) const { return __all_sync(mask(), predicate, site); }
  unsigned ballot(int predicate, simt::Site site = simt::here()) const { return __ballot_sync(mask(), predicate, site) >> first_lane(); }

 private:
  static unsigned first_lane() { return simt::current->lane / kSize * kSize; }
  static unsigned mask() { return kSize == 32 ? 0xffffffffu : ((1u << (kSize % 32)) - 1) << first_lane(); }
};

template <unsigned kSize>
thread_block_tile<kSize> tiled_partition(const thread_block&) {
  return {};
}
template <unsigned kSize, unsigned kParent>
thread_block_tile<kSize> tiled_partition(const thread_block_tile<kParent>&) {
  static_assert(kSize <= kParent, "a tile lies within its parent");
  return {};
}

template <class Group>
void sync(const Group& group, simt::Site site = simt::here()) {
  group.sync(site);
}

}  // namespace cooperative_groups
