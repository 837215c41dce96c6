// A tile through shared memory, with its barriers, twice.
#include "kernels/simt/checker/defects/defect.h"

__global__ void control_tile(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  __shared__ float tile[kColumns];
  float sum = 0;
  for (int i = 0; i < 3; ++i) {
    tile[column] = x[at] * static_cast<float>(i);
    __syncthreads();
    sum += tile[kColumns - 1 - column];
    __syncthreads();
  }
  y[at] = sum;
}

cudaError_t defect(float* y, const float* x, int* z) { return assay::launch(control_tile, kRows, kColumns, 0, nullptr, y, x, z); }
