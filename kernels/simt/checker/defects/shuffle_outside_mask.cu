// The lower half of the warp reads the upper half, which is not in the mask.
#include "kernels/simt/checker/defects/defect.h"

__global__ void shuffle_outside_mask(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  float value = x[at];
  if (column % 32 < 16) value += __shfl_xor_sync(0x0000ffffu, value, 16);
  y[at] = value;
}

cudaError_t defect(float* y, const float* x, int* z) { return assay::launch(shuffle_outside_mask, kRows, kColumns, 0, nullptr, y, x, z); }
