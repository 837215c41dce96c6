// An element 1.2 MB past the tensor.
#include "kernels/simt/checker/defects/defect.h"

__global__ void read_far(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  y[at] = x[at == 5 ? 300000 : at];
}

cudaError_t defect(float* y, const float* x, int* z) { return assay::launch(read_far, kRows, kColumns, 0, nullptr, y, x, z); }
