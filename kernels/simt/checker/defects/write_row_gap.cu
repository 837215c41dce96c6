// The columns of row 2 are shifted by one, so that the last falls between rows.
#include "kernels/simt/checker/defects/defect.h"

__global__ void write_row_gap(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  y[row == 2 ? at + 1 : at] = x[at];
}

cudaError_t defect(float* y, const float* x, int* z) { return assay::launch(write_row_gap, kRows, kColumns, 0, nullptr, y, x, z); }
