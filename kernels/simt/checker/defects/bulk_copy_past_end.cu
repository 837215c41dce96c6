// TMA brings a box into half as much memory as it takes.
#include "kernels/ptx.h"
#include "kernels/simt/checker/defects/defect.h"

constexpr int kThreads = 128, kTileBytes = 1024;

// Eight columns of eight k in FP32 out of rows of 128 bytes, of which the tensor has four.
using Multiply = assay::Wgmma<assay::Tf32, 8>;
constexpr std::uint32_t kOnes[4] = {0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000};

__global__ void bulk_copy_past_end(float* y, const __grid_constant__ assay::TensorMap map) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  ASSAY_DYNAMIC_SHARED(float, tile);
  __shared__ std::uint64_t full;
  if (column == 0) {
    assay::mbarrier_init(&full, 1);
    assay::mbarrier_fence_init();
  }
  __syncthreads();
  if (column == 0) {
    assay::mbarrier_arrive_expect_tx(&full, kTileBytes);
    assay::load_box(tile, map, &full, 0, 0);
  }
  assay::mbarrier_wait(&full, 0);
  if (column < kColumns) y[at] = tile[column];
}

cudaError_t defect(float* y, const float* x, int*) {
  assay::TensorMap map;
  const cudaError_t error =
      assay::make_tensor_map<float>(&map, x, kColumns, kRows, kStride * sizeof(float), 32, 8, assay::Swizzle::bytes128);
  return error != cudaSuccess ? error : assay::launch(bulk_copy_past_end, kRows, kThreads, kTileBytes / 2, nullptr, y, map);
}
