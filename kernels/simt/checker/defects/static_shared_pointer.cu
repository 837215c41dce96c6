// A pointer runs past the last shared variable.
#include "kernels/simt/checker/defects/defect.h"

__global__ void static_shared_pointer(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  __shared__ float tile[kColumns];
  float* next = tile + 1;
  next[column] = x[at];
  __syncthreads();
  y[at] = column ? tile[column] : 0;
}

cudaError_t defect(float* y, const float* x, int* z) { return assay::launch(static_shared_pointer, kRows, kColumns, 0, nullptr, y, x, z); }
