// cooperative_groups::reduce of a tile: the toolkit's butterfly, lane i with lane i ^ (size / 2), then / 4, ... 1; every lane has the
// result.
#pragma once

#include "kernels/simt/shims/cooperative_groups.h"

namespace cooperative_groups {

template <class T>
struct plus {
  T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  T operator()(T a, T b) const { return a < b ? b : a; }
};

template <unsigned kSize, class T, class Operation>
T reduce(const thread_block_tile<kSize>& tile, T value, Operation operation, simt::Site site = simt::here()) {
  for (unsigned mask = kSize / 2; mask > 0; mask /= 2) value = operation(value, tile.shfl_xor(value, mask, site));
  return value;
}

}  // namespace cooperative_groups
