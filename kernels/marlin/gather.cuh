// Rows of x made ready for 16-byte copies: in the order of the weights' rows, aligned and dense.
#pragma once

#include "kernels/launch.h"

namespace assay::marlin {

inline constexpr int kGatherThreads = 256;

// to[m][k] = from[m][perm[k]], or from[m][k] without perm. `to` has rows of k elements.
template <class T>
__global__ void __launch_bounds__(kGatherThreads) gather(T* to, const T* from, int64_t from_stride, const int* perm, int m, int k) {
  const int column = static_cast<int>(blockIdx.x) * kGatherThreads + static_cast<int>(threadIdx.x);
  if (column >= k) return;
  const int source = perm ? perm[column] : column;
  for (int64_t row = blockIdx.y; row < m; row += gridDim.y) to[row * k + column] = from[row * from_stride + source];
}

}  // namespace assay::marlin
