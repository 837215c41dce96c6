// Shared arrays of types with constructors, which compilers guard.
#include "kernels/simt/checker/defects/defect.h"

__global__ void control_half_tile(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  __shared__ __half tile[kColumns];
  __shared__ __nv_bfloat162 pairs[kColumns];
  tile[column] = __float2half_rn(x[at]);
  pairs[column] = __floats2bfloat162_rn(x[at], 1.0f);
  __syncthreads();
  y[at] = __half2float(tile[kColumns - 1 - column]) + __high2float(pairs[kColumns - 1 - column]);
}

cudaError_t defect(float* y, const float* x, int* z) { return assay::launch(control_half_tile, kRows, kColumns, 0, nullptr, y, x, z); }
