// A histogram with atomics in shared memory, added to the result with atomics.
#include "kernels/simt/checker/defects/defect.h"

__global__ void control_histogram(float* y, const float* x, int* z) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  __shared__ int bins[8];
  if (column < 8) bins[column] = 0;
  __syncthreads();
  atomicAdd(bins + column % 8, 1);
  __syncthreads();
  if (column < 8) atomicAdd(z + column, bins[column]);
  y[at] = x[at];
}

cudaError_t defect(float* y, const float* x, int* z) { return assay::launch(control_histogram, kRows, kColumns, 0, nullptr, y, x, z); }
