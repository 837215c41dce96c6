// Clears its input after use.
#include "kernels/simt/checker/defects/defect.h"

__global__ void write_to_input(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  y[at] = x[at];
  if (column == 7) const_cast<float*>(x)[at] = 0;
}

cudaError_t defect(float* y, const float* x, int* z) { return assay::launch(write_to_input, kRows, kColumns, 0, nullptr, y, x, z); }
