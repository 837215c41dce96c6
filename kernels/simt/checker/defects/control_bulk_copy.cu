// A slot that TMA fills and wgmma reads three times, with an mbarrier each way; ordinary loads at the end.
#include "kernels/ptx.h"
#include "kernels/simt/checker/defects/defect.h"

constexpr int kThreads = 128, kTileBytes = 1024;

// Eight columns of eight k in FP32 out of rows of 128 bytes, of which the tensor has four.
using Multiply = assay::Wgmma<assay::Tf32, 8>;
constexpr std::uint32_t kOnes[4] = {0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000};

__global__ void control_bulk_copy(float* y, const __grid_constant__ assay::TensorMap map) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  __shared__ __align__(1024) float tile[kTileBytes / 4];
  __shared__ std::uint64_t full, empty;
  if (column == 0) {
    assay::mbarrier_init(&full, 1);
    assay::mbarrier_init(&empty, kThreads / 32);
    assay::mbarrier_fence_init();
  }
  __syncthreads();
  Multiply::Sums sums = {};
  for (unsigned step = 0; step < 3; ++step) {
    if (column == 0) {
      assay::mbarrier_wait(&empty, step % 2 ^ 1);
      assay::mbarrier_arrive_expect_tx(&full, kTileBytes);
      assay::load_box(tile, map, &full, 0, 0);
    }
    assay::mbarrier_wait(&full, step % 2);
    if (step == 2) break;
    assay::wgmma_fence(sums);
    Multiply::multiply(sums, kOnes, assay::shared_matrix<assay::Swizzle::bytes128>(tile, 16, 1024));
    assay::wgmma_commit();
    assay::wgmma_wait<0>(sums);
    if (column % 32 == 0) assay::mbarrier_arrive(&empty);
  }
  if (column < kColumns) y[at] = sums[0] + tile[column];
}

cudaError_t defect(float* y, const float* x, int*) {
  assay::TensorMap map;
  const cudaError_t error =
      assay::make_tensor_map<float>(&map, x, kColumns, kRows, kStride * sizeof(float), 32, 8, assay::Swizzle::bytes128);
  return error != cudaSuccess ? error : assay::launch(control_bulk_copy, kRows, kThreads, 0, nullptr, y, map);
}
