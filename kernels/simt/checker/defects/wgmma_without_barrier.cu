// wgmma starts as soon as its own warp has written: what others write may not be there.
#include "kernels/simt/checker/defects/tensor_core.h"

__global__ void wgmma_without_barrier(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  __shared__ __align__(128) float tile[kColumns];
  if (column < kColumns) tile[column] = x[at];
  assay::fence_async_proxy();
  __syncwarp();
  Multiply::Sums sums = {};
  start(sums, small_tile(tile));
  assay::wgmma_wait<0>(sums);
  if (column < kColumns) y[at] = sums[0];
}

cudaError_t defect(float* y, const float* x, int* z) { return assay::launch(wgmma_without_barrier, kRows, kThreads, 0, nullptr, y, x, z); }
