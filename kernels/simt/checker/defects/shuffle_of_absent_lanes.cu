// Half of the warp leaves, and the other half reads its values.
#include "kernels/simt/checker/defects/defect.h"

__global__ void shuffle_of_absent_lanes(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  float value = x[at];
  if (column % 32 >= 16) return;
  value += __shfl_xor_sync(0xffffffffu, value, 16);
  y[at] = value;
}

cudaError_t defect(float* y, const float* x, int* z) {
  return assay::launch(shuffle_of_absent_lanes, kRows, kColumns, 0, nullptr, y, x, z);
}
