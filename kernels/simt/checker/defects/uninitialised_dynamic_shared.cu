// Half of the dynamic shared memory is written and all of it read.
#include "kernels/simt/checker/defects/defect.h"

__global__ void uninitialised_dynamic_shared(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  ASSAY_DYNAMIC_SHARED(float, tile);
  if (column < 32) tile[column] = x[at];
  __syncthreads();
  y[at] = tile[column];
}

cudaError_t defect(float* y, const float* x, int* z) {
  return assay::launch(uninitialised_dynamic_shared, kRows, kColumns, kColumns * sizeof(float), nullptr, y, x, z);
}
