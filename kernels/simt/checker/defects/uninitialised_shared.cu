// One warp reads 32 partial sums of which two were written.
#include "kernels/simt/checker/defects/defect.h"

__global__ void uninitialised_shared(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  __shared__ float sums[32];
  if (column % 32 == 0) sums[column / 32] = x[at];
  __syncthreads();
  y[at] = sums[column % 32];
}

cudaError_t defect(float* y, const float* x, int* z) { return assay::launch(uninitialised_shared, kRows, kColumns, 0, nullptr, y, x, z); }
