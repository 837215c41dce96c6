// Lanes fill rows again that other lanes of their warp have read: the barrier behind which the copies land comes too late.
#include "kernels/ptx.h"
#include "kernels/simt/checker/defects/defect.h"

__global__ void copy_into_rows_being_read(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  __shared__ __align__(16) float tile[kColumns];
  tile[column] = x[at];
  __syncthreads();
  std::uint32_t words[2] = {};
  if (column < 32) assay::ldmatrix_x2(words, tile + column % 16 * 4);
  if (column < 16) assay::cp_async16(tile + 4 * (15 - column), x + row * kStride + 4 * (15 - column));
  assay::cp_async_commit();
  __syncthreads();
  assay::cp_async_wait<0>();
  y[at] = __uint_as_float(words[0] ^ words[1]);
}

cudaError_t defect(float* y, const float* x, int* z) {
  return assay::launch(copy_into_rows_being_read, kRows, kColumns, 0, nullptr, y, x, z);
}
