// y = fp16(x * w), FP16 with FP32 sums: what the quantised products of this folder do once their weights lie dequantised in memory.
//
// x: m rows of k; w: k rows of n (n even, rows on 16 bytes); y: m rows of n. An element's sum passes through mma.sync m16n8k16
// instructions of 16 k each in ascending order, the last ones filled up with zeros, and is rounded to FP16 once.
#pragma once

#include "kernels/common/arguments.h"
#include "kernels/common/half_tile.cuh"

namespace assay {

inline constexpr int kHalfGemmRows = 64;  // of a block; kTileColumns columns, which run fastest in the order of blocks

template <int kRows>
__global__ void __launch_bounds__(kTileThreads) half_gemm(HalfMatrix x, HalfMatrix w, __half* y, int64_t y_stride, bool paired) {
  __shared__ __align__(16) TileMemory<kRows> memory;
  const int64_t tiles_across = (w.columns + kTileColumns - 1) / kTileColumns;
  const int64_t row = blockIdx.x / tiles_across * kRows, column = blockIdx.x % tiles_across * kTileColumns;
  TileSum<kRows> sum = {};
  multiply_tile<kRows>(memory, x, w, row, column, 0, static_cast<int>((w.rows + kTileK - 1) / kTileK), 1, sum);
  store_tile<kRows>(sum, y, y_stride, paired, row, column, x.rows, w.columns);
}

// Whether a grid takes the blocks for m rows of n > 0 columns.
inline bool half_gemm_fits(int64_t m, int64_t n) { return ceil_divide(m, kHalfGemmRows) <= kMaxGridX / ceil_divide(n, kTileColumns); }

// Of a shape that fits.
inline cudaError_t launch_half_gemm(const HalfMatrix& x, const HalfMatrix& w, __half* y, int64_t y_stride, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(ceil_divide(x.rows, kHalfGemmRows) * ceil_divide(w.columns, kTileColumns));
  const bool paired = is_aligned(y, 4) && y_stride % 2 == 0;
  return launch(half_gemm<kHalfGemmRows>, dim3(blocks), dim3(kTileThreads), 0, stream, x, w, y, y_stride, paired);
}

// Whether every row of a matrix of FP16 starts on 16 bytes.
inline bool rows_on_16_bytes(const __half* data, int64_t stride) { return is_aligned(data, 16) && stride % kEight == 0; }

}  // namespace assay
