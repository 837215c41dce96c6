// An operand is written, multiplied, waited for and written again.
#include "kernels/simt/checker/defects/tensor_core.h"

__global__ void control_wgmma(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  __shared__ __align__(128) float tile[kColumns];
  Multiply::Sums sums = {};
  for (int step = 0; step < 3; ++step) {
    if (column < kColumns) tile[column] = x[at];
    assay::fence_async_proxy();
    __syncthreads();
    start(sums, small_tile(tile), true);
    assay::wgmma_wait<0>(sums);
    __syncthreads();
  }
  if (column < kColumns) y[at] = sums[0];
}

cudaError_t defect(float* y, const float* x, int* z) { return assay::launch(control_wgmma, kRows, kThreads, 0, nullptr, y, x, z); }
