// ldmatrix reads rows that only threads beyond the block would have written.
#include "kernels/ptx.h"
#include "kernels/simt/checker/defects/defect.h"

__global__ void ldmatrix_of_unwritten(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  __shared__ __align__(16) float tile[2 * kColumns];
  tile[column] = x[at];
  __syncthreads();
  std::uint32_t words[4];
  assay::ldmatrix_x4(words, tile + column % 32 * 4);
  y[at] = __uint_as_float(words[0] ^ words[1] ^ words[2] ^ words[3]);
}

cudaError_t defect(float* y, const float* x, int* z) { return assay::launch(ldmatrix_of_unwritten, kRows, kColumns, 0, nullptr, y, x, z); }
