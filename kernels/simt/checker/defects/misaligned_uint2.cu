// A vector store to shared memory at 4 bytes.
#include "kernels/simt/checker/defects/defect.h"

__global__ void misaligned_uint2(float* y, const float*, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  __shared__ __align__(16) unsigned words[2 * kColumns + 2];
  *reinterpret_cast<uint2*>(words + 2 * column + 1) = make_uint2(1, 2);
  __syncthreads();
  y[at] = static_cast<float>(words[column + 1]);
}

cudaError_t defect(float* y, const float* x, int* z) { return assay::launch(misaligned_uint2, kRows, kColumns, 0, nullptr, y, x, z); }
