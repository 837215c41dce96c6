// Both warps read the whole tile with ldmatrix, half of which the other one writes.
#include "kernels/ptx.h"
#include "kernels/simt/checker/defects/defect.h"

__global__ void ldmatrix_without_barrier(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  __shared__ __align__(16) float tile[kColumns];
  tile[column] = x[at];
  __syncwarp();
  std::uint32_t words[2];
  assay::ldmatrix_x2(words, tile + column % 16 * 4);
  y[at] = __uint_as_float(words[0] ^ words[1]);
}

cudaError_t defect(float* y, const float* x, int* z) {
  return assay::launch(ldmatrix_without_barrier, kRows, kColumns, 0, nullptr, y, x, z);
}
