// The index of the last thread is one past the array.
#include "kernels/simt/checker/defects/defect.h"

__global__ void static_shared_index(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  __shared__ float tile[kColumns], other[kColumns];
  other[column] = 0;
  tile[column + 1 < kColumns ? column : column + 1] = x[at];
  __syncthreads();
  y[at] = tile[column % 4] + other[column];
}

cudaError_t defect(float* y, const float* x, int* z) { return assay::launch(static_shared_index, kRows, kColumns, 0, nullptr, y, x, z); }
