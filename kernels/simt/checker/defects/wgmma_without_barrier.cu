// wgmma starts as soon as its own warp has written: what others write may not be there.
#include "kernels/ptx.h"
#include "kernels/simt/checker/defects/defect.h"

constexpr int kThreads = 128;

// Eight columns of eight k in FP32, unswizzled: the 64 floats of the tile are two times eight rows of 16 bytes.
using Multiply = assay::Wgmma<assay::Tf32, 8>;
constexpr std::uint32_t kOnes[4] = {0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000};

__global__ void wgmma_without_barrier(float* y, const float* x, int*) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  __shared__ __align__(128) float tile[kColumns];
  if (column < kColumns) tile[column] = x[at];
  assay::fence_async_proxy();
  __syncwarp();
  Multiply::Sums sums = {};
  assay::wgmma_fence(sums);
  Multiply::multiply(sums, kOnes, assay::shared_matrix<assay::Swizzle::none>(tile, 128, 256), false);
  assay::wgmma_commit();
  assay::wgmma_wait<0>(sums);
  if (column < kColumns) y[at] = sums[0];
}

cudaError_t defect(float* y, const float* x, int* z) { return assay::launch(wgmma_without_barrier, kRows, kThreads, 0, nullptr, y, x, z); }
