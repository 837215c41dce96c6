// Neighbouring threads read and write the two halves of one word, in shared and device memory.
#include "kernels/simt/checker/defects/defect.h"

__global__ void control_halves(float* y, const float* x, int* z) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  __shared__ short halves[kColumns];
  auto* mine = reinterpret_cast<short*>(z + row * kStride) + column;
  *mine = static_cast<short>(*mine + 1);
  halves[column] = *mine;
  halves[column] = static_cast<short>(halves[column] + 1);
  *mine = halves[column];
  y[at] = x[at];
}

cudaError_t defect(float* y, const float* x, int* z) { return assay::launch(control_halves, kRows, kColumns, 0, nullptr, y, x, z); }
