// cub::BlockScan for the emulator: sums of integers, which are the same in every order (floats would need the toolkit's). One item a
// thread; with the sum of all, which every thread gets, or without.
#pragma once

#include <type_traits>

#include "kernels/simt/device.hpp"

namespace cub {

template <class T, int kBlockX>
class BlockScan {
  static_assert(std::is_integral_v<T>, "the emulator's cub::BlockScan adds integers: the order of the toolkit's float sums has no model");

 public:
  struct TempStorage {
    T of_thread[kBlockX];
  };
  explicit BlockScan(TempStorage& temporary) : storage(temporary) {}

  void InclusiveSum(T input, T& output, T& total, simt::Site site = simt::here()) {
    storage.of_thread[simt::current->rank] = input;
    __syncthreads(site);
    T below = 0, all = 0;
    for (unsigned i = 0; i < kBlockX; i++) below += i <= simt::current->rank ? storage.of_thread[i] : T{0}, all += storage.of_thread[i];
    output = below, total = all;
  }
  void InclusiveSum(T input, T& output, simt::Site site = simt::here()) {
    T total;
    InclusiveSum(input, output, total, site);
  }
  void ExclusiveSum(T input, T& output, T& total, simt::Site site = simt::here()) {
    const T own = input;  // `output` may be the same variable
    InclusiveSum(input, output, total, site);
    output -= own;
  }
  void ExclusiveSum(T input, T& output, simt::Site site = simt::here()) {
    T total;
    ExclusiveSum(input, output, total, site);
  }

 private:
  TempStorage& storage;
};

}  // namespace cub
