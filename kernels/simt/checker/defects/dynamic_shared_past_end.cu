// The tile is one element too small.
#include "kernels/simt/checker/defects/defect.h"

__global__ void dynamic_shared_past_end(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  ASSAY_DYNAMIC_SHARED(float, tile);
  tile[column + 1] = x[at];
  __syncthreads();
  y[at] = tile[column + 1];
}

cudaError_t defect(float* y, const float* x, int* z) {
  return assay::launch(dynamic_shared_past_end, kRows, kColumns, kColumns * sizeof(float), nullptr, y, x, z);
}
