// An asynchronous copy is committed and never waited for.
#include "kernels/ptx.h"
#include "kernels/simt/checker/defects/defect.h"

__global__ void missing_copy_wait(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  __shared__ __align__(16) float tile[kColumns];
  if (column < 16) assay::cp_async16(tile + 4 * column, x + row * kStride + 4 * column);
  assay::cp_async_commit();
  __syncthreads();
  y[at] = tile[column];
}

cudaError_t defect(float* y, const float* x, int* z) { return assay::launch(missing_copy_wait, kRows, kColumns, 0, nullptr, y, x, z); }
