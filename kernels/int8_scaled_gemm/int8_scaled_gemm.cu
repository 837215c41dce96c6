#include "kernels/launch.h"

#include "kernels/int8_scaled_gemm/int8_scaled_gemm.h"

#include "kernels/common/arguments.h"
#include "kernels/common/tile_multiply.cuh"

namespace assay {
namespace {

constexpr int64_t kMaxK = int64_t{1} << 31;

struct Problem {
  void* y;
  const int8_t *a, *b;
  const float *a_scale, *b_scale;
  const int32_t *azp, *azp_adj;
  const void* bias;
  int64_t y_stride, a_stride, b_stride;
  int64_t m, n, k;
  bool a_scale_by_row, b_scale_by_column;
  bool y_in_pairs;  // every even column of y starts a 32-bit word
};

template <class T>
__device__ __forceinline__ T rounded(float value) {
  if constexpr (std::is_same_v<T, __half>)
    return __float2half_rn(value);
  else
    return __float2bfloat16_rn(value);
}

__device__ __forceinline__ float widened(__half value) { return __half2float(value); }
__device__ __forceinline__ float widened(__nv_bfloat16 value) { return __bfloat162float(value); }

// What the epilogue needs to know of a row or a column.
struct Row {
  float scale;
  uint32_t zero;
};
struct Column {
  float scale;
  uint32_t zero;
  float bias;
};

__device__ __forceinline__ Row row_of(const Problem& p, int64_t row) {
  return {p.a_scale[p.a_scale_by_row ? row : 0], p.azp ? static_cast<uint32_t>(p.azp[row]) : 1u};
}

template <class T>
__device__ __forceinline__ Column column_of(const Problem& p, int64_t column) {
  return {p.b_scale[p.b_scale_by_column ? column : 0], p.azp_adj ? static_cast<uint32_t>(p.azp_adj[column]) : 0u,
          p.bias ? widened(static_cast<const T*>(p.bias)[column]) : 0.0f};
}

// Without a bias r is a product of its own: fma(a, t, 0) would give +0 where the product is -0.
template <class T>
__device__ __forceinline__ T finish(int sum, const Row& row, const Column& column, bool has_bias) {
  const auto difference = static_cast<int>(static_cast<uint32_t>(sum) - row.zero * column.zero);
  const float t = __fmul_rn(column.scale, __int2float_rn(difference));
  return rounded<T>(has_bias ? __fmaf_rn(row.scale, t, column.bias) : __fmul_rn(row.scale, t));
}

// grid.x: tiles of y.
template <class Tile, bool kAligned, class T>
__global__ void __launch_bounds__(Tile::kThreads, 2) multiply(Problem p) {
  ASSAY_DYNAMIC_SHARED(unsigned char, shared);

  // The products of this block's tile.
  const TilePlace place = tile_place(blockIdx.x, (p.m - 1) / Tile::kRows + 1, (p.n - 1) / Tile::kColumns + 1);
  const int64_t first_row = place.row * Tile::kRows, first_column = place.column * Tile::kColumns;
  WarpSums<Tile, int8_t> sums = {};
  const TileOperand<int8_t> a{p.a + first_row * p.a_stride, p.a_stride, p.m - first_row};
  const TileOperand<int8_t> b{p.b + first_column * p.b_stride, p.b_stride, p.n - first_column};
  multiply_tile<Tile, kAligned>(a, b, p.k, shared, sums);

  // Scaled and rounded into y: pairs of columns, of which the second need not exist.
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int64_t my_row = first_row + warp_row<Tile>() + lane / 4, my_column = first_column + warp_column<Tile>() + lane % 4 * 2;
  Row rows[2 * Tile::kRowMatrices] = {};
#pragma unroll
  for (int i = 0; i < 2 * Tile::kRowMatrices; ++i)
    if (my_row + i * 8 < p.m) rows[i] = row_of(p, my_row + i * 8);
  const bool has_bias = p.bias != nullptr;
#pragma unroll
  for (int j = 0; j < Tile::kColumnMatrices; ++j) {
    const int64_t column = my_column + j * 8;
    if (column >= p.n) continue;
    const bool both = column + 1 < p.n;
    const Column first = column_of<T>(p, column), second = column_of<T>(p, both ? column + 1 : column);
#pragma unroll
    for (int i = 0; i < 2 * Tile::kRowMatrices; ++i) {
      if (my_row + i * 8 >= p.m) continue;
      const int(&sum)[4] = sums[i / 2][j];
      const T values[2] = {finish<T>(sum[i % 2 * 2], rows[i], first, has_bias), finish<T>(sum[i % 2 * 2 + 1], rows[i], second, has_bias)};
      T* target = static_cast<T*>(p.y) + (my_row + i * 8) * p.y_stride + column;
      if (both && p.y_in_pairs) {
        uint32_t bits;
        memcpy(&bits, values, 4);
        *reinterpret_cast<uint32_t*>(target) = bits;
      } else {
        target[0] = values[0];
        if (both) target[1] = values[1];
      }
    }
  }
}

template <class Tile, bool kAligned, class T>
cudaError_t launch_tiles(const Problem& p, cudaStream_t stream) {
  const int64_t rows = ceil_divide(p.m, Tile::kRows), columns = ceil_divide(p.n, Tile::kColumns);
  if (rows > kMaxGridX / columns) return cudaErrorInvalidValue;
  const auto kernel = multiply<Tile, kAligned, T>;
  const cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Tile::kSharedBytes);
  if (error != cudaSuccess) return error;
  return launch(kernel, dim3(static_cast<unsigned>(rows * columns)), dim3(Tile::kThreads), Tile::kSharedBytes, stream, p);
}

template <class Tile>
cudaError_t launch_tiles(const Problem& p, bool aligned, int y_format, cudaStream_t stream) {
  if (y_format == int8_gemm_fp16)
    return aligned ? launch_tiles<Tile, true, __half>(p, stream) : launch_tiles<Tile, false, __half>(p, stream);
  return aligned ? launch_tiles<Tile, true, __nv_bfloat16>(p, stream) : launch_tiles<Tile, false, __nv_bfloat16>(p, stream);
}

}  // namespace
}  // namespace assay

cudaError_t int8_scaled_gemm(void* y, int64_t y_stride, int y_format, const int8_t* a, int64_t a_stride, const int8_t* b, int64_t b_stride,
                             const float* a_scale, int64_t a_scales, const float* b_scale, int64_t b_scales, const int32_t* azp,
                             const int32_t* azp_adj, const void* bias, int64_t m, int64_t n, int64_t k, cudaStream_t stream) {
  using namespace assay;
  if (m < 0 || n < 0 || k < 1 || k >= kMaxK || (y_format != int8_gemm_bf16 && y_format != int8_gemm_fp16)) return cudaErrorInvalidValue;
  if ((a_scales != 1 && a_scales != m) || (b_scales != 1 && b_scales != n) || (n > 0 && azp && !azp_adj)) return cudaErrorInvalidValue;
  if (y_stride < n || a_stride < k || b_stride < k) return cudaErrorInvalidValue;
  if (!span_fits<uint16_t>(m, y_stride, n) || !span_fits<int8_t>(m, a_stride, k) || !span_fits<int8_t>(n, b_stride, k))
    return cudaErrorInvalidValue;
  if (m == 0 || n == 0) return cudaSuccess;
  if (!is_usable(static_cast<uint16_t*>(y)) || !is_usable(a) || !is_usable(b) || !is_usable(a_scale) || !is_usable(b_scale) ||
      !is_aligned(azp, alignof(int32_t)) || !is_aligned(azp_adj, alignof(int32_t)) || !is_aligned(bias, sizeof(uint16_t)))
    return cudaErrorInvalidValue;

  const Problem p{.y = y,
                  .a = a,
                  .b = b,
                  .a_scale = a_scale,
                  .b_scale = b_scale,
                  .azp = azp,
                  .azp_adj = azp_adj,
                  .bias = bias,
                  .y_stride = y_stride,
                  .a_stride = a_stride,
                  .b_stride = b_stride,
                  .m = m,
                  .n = n,
                  .k = k,
                  .a_scale_by_row = a_scales != 1,
                  .b_scale_by_column = b_scales != 1,
                  .y_in_pairs = is_aligned(y, 4) && y_stride % 2 == 0};
  const bool aligned = is_aligned(a, kCopyBytes) && is_aligned(b, kCopyBytes) && a_stride % kCopyBytes == 0 && b_stride % kCopyBytes == 0;
  if (m <= FewRows::kRows) return launch_tiles<FewRows>(p, aligned, y_format, stream);
  if (m <= SomeRows::kRows) return launch_tiles<SomeRows>(p, aligned, y_format, stream);
  return launch_tiles<ManyRows>(p, aligned, y_format, stream);
}
