// The next iteration writes the tile before all have read this one.
#include "kernels/simt/checker/defects/defect.h"

__global__ void war_across_iterations(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  __shared__ float tile[kColumns];
  float sum = 0;
  for (int i = 0; i < 4; ++i) {
    tile[column] = x[at] * static_cast<float>(i);
    __syncthreads();
    sum += tile[(column + 33) % kColumns];
  }
  y[at] = sum;
}

cudaError_t defect(float* y, const float* x, int* z) { return assay::launch(war_across_iterations, kRows, kColumns, 0, nullptr, y, x, z); }
