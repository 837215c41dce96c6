// Pairs of threads write one element.
#include "kernels/simt/checker/defects/defect.h"

__global__ void threads_write_the_same(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  y[at - column % 2] = x[at];
}

cudaError_t defect(float* y, const float* x, int* z) { return assay::launch(threads_write_the_same, kRows, kColumns, 0, nullptr, y, x, z); }
