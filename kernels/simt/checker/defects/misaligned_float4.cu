// A vector load that starts at element 1.
#include "kernels/simt/checker/defects/defect.h"

__global__ void misaligned_float4(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  if (column >= 8) return;
  const float4 four = *reinterpret_cast<const float4*>(x + row * kStride + 4 * column + 1);
  y[at] = four.x + four.y + four.z + four.w;
}

cudaError_t defect(float* y, const float* x, int* z) { return assay::launch(misaligned_float4, kRows, kColumns, 0, nullptr, y, x, z); }
