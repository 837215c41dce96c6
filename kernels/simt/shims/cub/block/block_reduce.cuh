// cub::BlockReduce for the emulator (see warp/warp_reduce.cuh): its standard algorithm, warp reductions, whose results thread 0 then takes
// in one after the other. Has Sum and Reduce of one item a thread, with and without a number of valid threads. The result is thread 0's.
#pragma once

#include "kernels/simt/shims/cub/warp/warp_reduce.cuh"

namespace cub {

enum BlockReduceAlgorithm { BLOCK_REDUCE_WARP_REDUCTIONS };

template <class T, int kBlockX, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int kBlockY = 1, int kBlockZ = 1>
class BlockReduce {
  static constexpr unsigned kThreads = static_cast<unsigned>(kBlockX * kBlockY * kBlockZ), kWarps = (kThreads + 31) / 32;

 public:
  struct TempStorage {
    T of_warp[kWarps];
  };
  explicit BlockReduce(TempStorage& temporary) : storage(temporary) {}

  template <class Operation>
  T Reduce(T input, Operation operation, int valid_threads = static_cast<int>(kThreads), simt::Site site = simt::here()) {
    const auto valid = static_cast<unsigned>(valid_threads);
    const unsigned warp = simt::current->warp, first_thread = 32 * warp;
    const unsigned lanes = kThreads - first_thread < 32 ? kThreads - first_thread : 32;
    const unsigned mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
    const unsigned count = valid <= first_thread ? 1 : valid - first_thread < lanes ? valid - first_thread : lanes;
    T result = simt::reduce_down(input, operation, 0, count - 1, 32, mask, site);
    if (simt::current->lane == 0) storage.of_warp[warp] = result;
    __syncthreads(site);
    if (simt::current->rank == 0)
      for (unsigned i = 1; i < kWarps && 32 * i < valid; i++) result = operation(result, storage.of_warp[i]);
    return result;
  }
  T Sum(T input, int valid_threads = static_cast<int>(kThreads), simt::Site site = simt::here()) {
    return Reduce(input, simt::Plus{}, valid_threads, site);
  }

 private:
  TempStorage& storage;
};

}  // namespace cub
