// Two stages, each filled twice: copies waited for, met at a barrier, read with ldmatrix, met at a barrier.
#include "kernels/ptx.h"
#include "kernels/simt/checker/defects/defect.h"

__global__ void control_ldmatrix(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  __shared__ __align__(16) float tile[2][kColumns];
  const auto fill = [&](int stage) {
    if (column < 16) assay::cp_async16(tile[stage] + 4 * column, x + row * kStride + 4 * column);
    assay::cp_async_commit();
  };
  fill(0);
  fill(1);
  std::uint32_t sum = 0;
  for (int step = 0; step < 4; ++step) {
    assay::cp_async_wait<1>();
    __syncthreads();
    std::uint32_t words[2];
    assay::ldmatrix_x2(words, tile[step % 2] + column % 16 * 4);
    sum += words[0] ^ words[1];
    __syncthreads();
    fill(step % 2);
  }
  y[at] = __uint_as_float(sum);
}

cudaError_t defect(float* y, const float* x, int* z) { return assay::launch(control_ldmatrix, kRows, kColumns, 0, nullptr, y, x, z); }
