// Asynchronous copies in two stages, waited for and met at a barrier.
#include "kernels/ptx.h"
#include "kernels/simt/checker/defects/defect.h"

__global__ void control_copy(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  __shared__ __align__(16) float tile[2][kColumns];
  for (int stage = 0; stage < 2; ++stage) {
    if (column < 16) assay::cp_async16(tile[stage] + 4 * column, x + row * kStride + 4 * column);
    assay::cp_async_commit();
  }
  assay::cp_async_wait<1>();
  __syncthreads();
  const float first = tile[0][column];
  assay::cp_async_wait<0>();
  __syncthreads();
  y[at] = first + tile[1][kColumns - 1 - column];
}

cudaError_t defect(float* y, const float* x, int* z) { return assay::launch(control_copy, kRows, kColumns, 0, nullptr, y, x, z); }
