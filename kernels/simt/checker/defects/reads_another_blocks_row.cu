// In place, with the value of the row below, which another block replaces.
#include "kernels/simt/checker/defects/defect.h"

__global__ void reads_another_blocks_row(float* y, const float* x, int* z) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  y[at] = x[at];
  z[at] = z[row + 1 < kRows ? at + kStride : at] + 1;
}

cudaError_t defect(float* y, const float* x, int* z) {
  return assay::launch(reads_another_blocks_row, kRows, kColumns, 0, nullptr, y, x, z);
}
