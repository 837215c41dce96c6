// Accumulates into an output that nobody has written.
#include "kernels/simt/checker/defects/defect.h"

__global__ void uninitialised_output(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  y[at] += x[at];
}

cudaError_t defect(float* y, const float* x, int* z) { return assay::launch(uninitialised_output, kRows, kColumns, 0, nullptr, y, x, z); }
