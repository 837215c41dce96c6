// cub::WarpReduce for the emulator, found in place of the toolkit's by emulated plug-ins (tools/plugin). The same order of operations, and
// so the same bits: lane i takes in lane i + 1, then i + 2, 4, 8, 16, and a lane without such a neighbour keeps its value. Has Sum and
// Reduce, with and without a number of valid lanes, for widths that are powers of two. The result is lane 0's.
#pragma once

#include "kernels/simt/device.hpp"

namespace simt {

// Lanes first .. last of the warp, of which this is one, reduced into the first.
template <class T, class Operation>
T reduce_down(T value, Operation operation, unsigned first, unsigned last, unsigned width, unsigned mask, Site site) {
  const unsigned own = current->lane;
  for (unsigned offset = 1; offset < width; offset *= 2) {
    const bool there = own + offset <= last && own + offset < first + width;
    const T other = __shfl_sync(mask, value, static_cast<int>(there ? own + offset : own), 32, site);
    if (there) value = operation(value, other);
  }
  return value;
}

struct Plus {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return a + b;
  }
};

}  // namespace simt

namespace cub {

template <class T, int kLogicalWarpThreads = 32>
class WarpReduce {
  static_assert(kLogicalWarpThreads >= 1 && kLogicalWarpThreads <= 32 && (kLogicalWarpThreads & (kLogicalWarpThreads - 1)) == 0,
                "the emulator's cub::WarpReduce has widths of 1, 2, 4, 8, 16 and 32");

 public:
  struct TempStorage {};
  explicit WarpReduce(TempStorage&) {}

  template <class Operation>
  T Reduce(T input, Operation operation, int valid_items = kLogicalWarpThreads, simt::Site site = simt::here()) {
    constexpr unsigned kWidth = kLogicalWarpThreads;
    const unsigned first = simt::current->lane / kWidth * kWidth;
    const unsigned mask = kWidth == 32 ? 0xffffffffu : ((1u << (kWidth % 32)) - 1) << first;
    return simt::reduce_down(input, operation, first, first + static_cast<unsigned>(valid_items) - 1, kWidth, mask, site);
  }
  T Sum(T input, int valid_items = kLogicalWarpThreads, simt::Site site = simt::here()) {
    return Reduce(input, simt::Plus{}, valid_items, site);
  }
};

}  // namespace cub
