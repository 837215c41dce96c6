// The last thread of the last row also writes one element past the tensor.
#include "kernels/simt/checker/defects/defect.h"

__global__ void write_past_end(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  y[at] = x[at];
  if (row + 1 == kRows && column + 1 == kColumns) y[at + 1] = 0;
}

cudaError_t defect(float* y, const float* x, int* z) { return assay::launch(write_past_end, kRows, kColumns, 0, nullptr, y, x, z); }
