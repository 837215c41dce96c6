// The wait leaves the group of copies under way that ldmatrix reads.
#include "kernels/ptx.h"
#include "kernels/simt/checker/defects/defect.h"

__global__ void ldmatrix_before_copy_lands(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  __shared__ __align__(16) float tile[2][kColumns];
  for (int stage = 0; stage < 2; ++stage) {
    if (column < 16) assay::cp_async16(tile[stage] + 4 * column, x + row * kStride + 4 * column);
    assay::cp_async_commit();
  }
  assay::cp_async_wait<1>();
  __syncthreads();
  std::uint32_t words[2];
  assay::ldmatrix_x2(words, tile[1] + column % 16 * 4);
  assay::cp_async_wait<0>();
  y[at] = __uint_as_float(words[0] ^ words[1]);
}

cudaError_t defect(float* y, const float* x, int* z) {
  return assay::launch(ldmatrix_before_copy_lands, kRows, kColumns, 0, nullptr, y, x, z);
}
