// wgmma reads a box that TMA has yet to bring: nobody has waited for its mbarrier.
#include "kernels/simt/checker/defects/tensor_core.h"

__global__ void wgmma_before_bulk_copy_lands(float* y, const __grid_constant__ assay::TensorMap map) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  __shared__ __align__(1024) float tile[kBoxBytes / 4];
  __shared__ std::uint64_t full;
  make_barrier(&full);
  if (column == 0) ask_for_box(tile, map, &full);
  __syncthreads();
  Multiply::Sums sums = {};
  start(sums, box_tile(tile));
  assay::wgmma_wait<0>(sums);
  __syncthreads();
  assay::mbarrier_wait(&full, 0);
  if (column < kColumns) y[at] = sums[0];
}

cudaError_t defect(float* y, const float* x, int*) { return launch_on_boxes(wgmma_before_bulk_copy_lands, y, x); }
