// The two warps wait at different barriers.
#include "kernels/simt/checker/defects/defect.h"

__global__ void divergent_barrier(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  __shared__ float tile[kColumns];
  tile[column] = x[at];
  if (column < 32) {
    __syncthreads();
    y[at] = tile[column + 32];
  } else {
    __syncthreads();
    y[at] = tile[column - 32];
  }
}

cudaError_t defect(float* y, const float* x, int* z) { return assay::launch(divergent_barrier, kRows, kColumns, 0, nullptr, y, x, z); }
