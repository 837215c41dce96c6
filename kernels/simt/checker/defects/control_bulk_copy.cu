// A slot that TMA fills and wgmma reads three times, with an mbarrier each way; ordinary loads at the end.
#include "kernels/simt/checker/defects/tensor_core.h"

__global__ void control_bulk_copy(float* y, const __grid_constant__ assay::TensorMap map) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x), at = row * kStride + column;
  __shared__ __align__(1024) float tile[kBoxBytes / 4];
  __shared__ std::uint64_t full, empty;
  if (column == 0) assay::mbarrier_init(&empty, kThreads / 32);
  make_barrier(&full);
  Multiply::Sums sums = {};
  for (unsigned step = 0; step < 3; ++step) {
    if (column == 0) {
      assay::mbarrier_wait(&empty, step % 2 ^ 1);
      ask_for_box(tile, map, &full);
    }
    assay::mbarrier_wait(&full, step % 2);
    if (step == 2) break;
    start(sums, box_tile(tile), true);
    assay::wgmma_wait<0>(sums);
    if (column % 32 == 0) assay::mbarrier_arrive(&empty);
  }
  if (column < kColumns) y[at] = sums[0] + tile[column];
}

cudaError_t defect(float* y, const float* x, int*) { return launch_on_boxes(control_bulk_copy, y, x); }
