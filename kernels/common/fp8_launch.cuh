// What the FP8 matrix products share on the host: the checks of their operands, and launches tile by tile.
#pragma once

#include "kernels/common/arguments.h"
#include "kernels/common/fp8_mma_tile.cuh"
#include "kernels/common/fp8_tiles.h"
#include "kernels/common/tma_ring.cuh"

namespace assay {

// y[m,n] from a[m,k] and b[n,k].
struct Fp8Operands {
  const __nv_fp8_e4m3 *a, *b;
  int64_t a_stride, b_stride, y_stride, m, n, k;
  bool tma;  // through tensor maps (wgmma), else cp.async (mma.sync)
  int tile;  // of wgmma
};

// The tile of a launch through tensor maps.
inline int tile_of(const Fp8Operands& o) { return o.tile == fp8_tile_automatic ? automatic_tile(o.m, o.n) : o.tile; }

// Sizes, strides and tile, whatever the pointers are. `y_bytes`: of an element of y.
inline bool are_legal(const Fp8Operands& o, int64_t y_bytes) {
  constexpr int64_t kMaxSize = int64_t{1} << 30;       // so that places in tiles beyond the edges are ints too
  constexpr int64_t kMaxTmaStride = int64_t{1} << 40;  // CUDA driver API, cuTensorMapEncodeTiled: strides below 2^40 bytes
  if (o.m < 0 || o.n < 0 || o.k <= 0 || o.m > kMaxSize || o.n > kMaxSize || o.k > kMaxSize) return false;
  if (o.tile < fp8_tile_automatic || o.tile > fp8_tile_128x256 || (!o.tma && o.tile != fp8_tile_automatic)) return false;
  if (o.y_stride < o.n || o.a_stride < o.k || o.b_stride < o.k) return false;
  if (o.tma && (o.a_stride % 16 || o.b_stride % 16 || o.a_stride >= kMaxTmaStride || o.b_stride >= kMaxTmaStride)) return false;
  int64_t y_row = 0;
  if (__builtin_mul_overflow(o.y_stride, y_bytes, &y_row) || !span_fits<char>(o.m, y_row, o.n * y_bytes)) return false;
  if (!span_fits<__nv_fp8_e4m3>(o.m, o.a_stride, o.k) || !span_fits<__nv_fp8_e4m3>(o.n, o.b_stride, o.k)) return false;
  constexpr int64_t kSide = Fp8MmaTile::kSide;
  return (o.tma ? tile_count(tile_of(o), o.m, o.n) : ceil_divide(o.m, kSide) * ceil_divide(o.n, kSide)) <= kMaxGridX;
}

inline bool are_usable(const Fp8Operands& o) {
  return is_usable(o.a) && is_usable(o.b) && (!o.tma || (is_aligned(o.a, 16) && is_aligned(o.b, 16)));
}

// Launches a kernel (Problem, Fp8MmaOperand a, Fp8MmaOperand b); sets p.tile_rows and p.tile_columns.
template <class Problem>
cudaError_t launch_mma(void (*kernel)(Problem, Fp8MmaOperand, Fp8MmaOperand), const Fp8Operands& o, Problem p, cudaStream_t stream) {
  using Tile = Fp8MmaTile;
  const auto operand = [&o](const __nv_fp8_e4m3* data, int64_t stride, int64_t rows) {
    return Fp8MmaOperand{reinterpret_cast<const unsigned char*>(data), stride, static_cast<int>(rows), static_cast<int>(o.k),
                         is_aligned(data, 16) && stride % 16 == 0};
  };
  const cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Tile::kSharedBytes);
  if (error != cudaSuccess) return error;
  p.tile_rows = static_cast<int>(ceil_divide(o.m, Tile::kSide));
  p.tile_columns = static_cast<int>(ceil_divide(o.n, Tile::kSide));
  return launch(kernel, dim3(static_cast<unsigned>(p.tile_rows * p.tile_columns)), dim3(Tile::kThreads), Tile::kSharedBytes, stream, p,
                operand(o.a, o.a_stride, o.m), operand(o.b, o.b_stride, o.n));
}

// Launches a kernel (TensorMap a, TensorMap b, Problem) for tiles of the ring; sets p.tile_rows and p.tile_columns.
template <class Tile, class Problem>
cudaError_t launch_ring(void (*kernel)(TensorMap, TensorMap, Problem), const Fp8Operands& o, Problem p, cudaStream_t stream) {
  TensorMap a, b;
  cudaError_t error = make_ring_maps<Tile>(&a, o.a, o.a_stride, o.m, &b, o.b, o.b_stride, o.n, o.k);
  if (error != cudaSuccess) return error;
  error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Tile::kSharedBytes);
  if (error != cudaSuccess) return error;
  p.tile_rows = static_cast<int>(ceil_divide(o.m, Tile::kRows));
  p.tile_columns = static_cast<int>(ceil_divide(o.n, Tile::kColumns));
  return launch(kernel, dim3(static_cast<unsigned>(p.tile_rows * p.tile_columns)), dim3(Tile::kThreads), Tile::kSharedBytes, stream, a, b,
                p);
}

}  // namespace assay
