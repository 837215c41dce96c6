// A halo to the left of the tile, which has none.
#include "kernels/simt/checker/defects/defect.h"

__global__ void dynamic_shared_before_start(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  ASSAY_DYNAMIC_SHARED(float, tile);
  tile[column] = x[at];
  __syncthreads();
  y[at] = tile[column] + (column ? 0 : *(tile - 1));
}

cudaError_t defect(float* y, const float* x, int* z) {
  return assay::launch(dynamic_shared_before_start, kRows, kColumns, kColumns * sizeof(float), nullptr, y, x, z);
}
