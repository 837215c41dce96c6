// All threads but one count with atomics.
#include "kernels/simt/checker/defects/defect.h"

__global__ void atomic_and_plain(float* y, const float* x, int* z) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  y[at] = x[at];
  if (column == 40)
    z[0] += 1;
  else
    atomicAdd(z, 1);
}

cudaError_t defect(float* y, const float* x, int* z) { return assay::launch(atomic_and_plain, 1, kColumns, 0, nullptr, y, x, z); }
