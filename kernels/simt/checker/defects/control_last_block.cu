// The last block to finish adds up what the others have left, found with an atomic counter and fences.
#include "kernels/simt/checker/defects/defect.h"

__device__ int arrived = 0;

__global__ void control_last_block(float* y, const float* x, int* z) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  __shared__ bool last;
  z[at] = row;
  __threadfence();
  __syncthreads();
  if (column == 0) last = atomicAdd(&arrived, 1) == kRows - 1;
  __syncthreads();
  y[at] = x[at];
  if (!last) return;
  __threadfence();
  int sum = 0;
  for (int i = 0; i < kRows; ++i) sum += z[i * kStride + column];
  z[column] = sum;
}

cudaError_t defect(float* y, const float* x, int* z) { return assay::launch(control_last_block, kRows, kColumns, 0, nullptr, y, x, z); }
