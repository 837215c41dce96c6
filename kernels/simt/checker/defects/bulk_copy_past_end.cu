// TMA brings a box into half as much memory as it takes.
#include "kernels/simt/checker/defects/tensor_core.h"

__global__ void bulk_copy_past_end(float* y, const __grid_constant__ assay::TensorMap map) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  ASSAY_DYNAMIC_SHARED(float, tile);
  __shared__ std::uint64_t full;
  make_barrier(&full);
  if (column == 0) ask_for_box(tile, map, &full);
  assay::mbarrier_wait(&full, 0);
  if (column < kColumns) y[at] = tile[column];
}

cudaError_t defect(float* y, const float* x, int*) { return launch_on_boxes(bulk_copy_past_end, y, x, kBoxBytes / 2); }
