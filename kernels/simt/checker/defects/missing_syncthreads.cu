// The tile is read without a barrier after it was written.
#include "kernels/simt/checker/defects/defect.h"

__global__ void missing_syncthreads(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  __shared__ float tile[kColumns];
  tile[column] = x[at];
  y[at] = tile[kColumns - 1 - column];
}

cudaError_t defect(float* y, const float* x, int* z) { return assay::launch(missing_syncthreads, kRows, kColumns, 0, nullptr, y, x, z); }
