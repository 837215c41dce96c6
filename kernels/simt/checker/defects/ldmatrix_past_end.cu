// The last row that the second warp reads with ldmatrix lies behind the end of the memory asked for.
#include "kernels/ptx.h"
#include "kernels/simt/checker/defects/defect.h"

__global__ void ldmatrix_past_end(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  ASSAY_DYNAMIC_SHARED(float, tile);
  tile[column] = x[at];
  __syncthreads();
  std::uint32_t words[2];
  assay::ldmatrix_x2(words, tile + (column % 16 + column / 32) * 4);
  y[at] = __uint_as_float(words[0] ^ words[1]);
}

cudaError_t defect(float* y, const float* x, int* z) {
  return assay::launch(ldmatrix_past_end, kRows, kColumns, kColumns * sizeof(float), nullptr, y, x, z);
}
