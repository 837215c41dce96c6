// Neighbouring lanes exchange through shared memory without __syncwarp.
#include "kernels/simt/checker/defects/defect.h"

__global__ void missing_syncwarp(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  __shared__ float tile[kColumns];
  tile[column] = x[at];
  y[at] = tile[column ^ 1];
}

cudaError_t defect(float* y, const float* x, int* z) { return assay::launch(missing_syncwarp, kRows, kColumns, 0, nullptr, y, x, z); }
