// Lanes exchange through shared memory with __syncwarp around it.
#include "kernels/simt/checker/defects/defect.h"

__global__ void control_warp(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  __shared__ float tile[kColumns];
  for (int i = 1; i < 32; i *= 2) {
    tile[column] = x[at];
    __syncwarp();
    y[at] = tile[column ^ i];
    __syncwarp();
  }
}

cudaError_t defect(float* y, const float* x, int* z) { return assay::launch(control_warp, kRows, kColumns, 0, nullptr, y, x, z); }
