// A row so far down that its 32-bit offset overflows.
#include "kernels/simt/checker/defects/defect.h"

__global__ void overflowing_index(float* y, const float* x, int* z) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  const unsigned rows_before = 524288, stride = 4097;
  y[at] = x[at == 3 ? static_cast<int>(rows_before * stride + static_cast<unsigned>(z[3])) : at];
}

cudaError_t defect(float* y, const float* x, int* z) { return assay::launch(overflowing_index, kRows, kColumns, 0, nullptr, y, x, z); }
