// Row 1 is read with one column too many.
#include "kernels/simt/checker/defects/defect.h"

__global__ void read_row_gap(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  y[at] = x[at] + (row == 1 && column + 1 == kColumns ? x[at + 1] : 0);
}

cudaError_t defect(float* y, const float* x, int* z) { return assay::launch(read_row_gap, kRows, kColumns, 0, nullptr, y, x, z); }
