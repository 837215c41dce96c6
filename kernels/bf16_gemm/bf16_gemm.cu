#include "kernels/launch.h"

#include "kernels/bf16_gemm/bf16_gemm.h"

#include <algorithm>

#include "kernels/common/arguments.h"
#include "kernels/common/bf16_chunk.cuh"
#include "kernels/common/tile_multiply.cuh"

namespace assay {
namespace {

constexpr int64_t kPartUnit = 64;
constexpr int64_t kMaxSplit = 64;
constexpr int64_t kMaxK = int64_t{1} << 31;
constexpr int kFour = 4;  // columns that the second kernel adds at a time; rows of partial sums are a multiple of it wide
constexpr int kAddThreads = 256;

struct Problem {
  __nv_bfloat16* y;
  const __nv_bfloat16 *x, *w, *bias;
  float* partial;  // [part][m][partial_width], or null: one part
  int64_t y_stride, x_stride, w_stride, partial_width;
  int64_t m, n, k, part_k;
  int64_t parts;
  int activation;
  bool y_in_pairs;  // every even column of y starts a 32-bit word
};

__device__ __forceinline__ float activate(float v, int activation) {
  if (activation == bf16_gemm_relu) return v < 0.0f ? 0.0f : v;
  if (activation == bf16_gemm_silu) return __fdiv_rn(v, __fadd_rn(1.0f, __expf(-v)));
  return v;
}

// The values of column and column + 1, of which the second need not exist, on their way into y.
__device__ __forceinline__ void store_pair(const Problem& p, int64_t row, int64_t column, float first, float second) {
  const bool both = column + 1 < p.n;
  if (p.bias) {
    first = __fadd_rn(first, __bfloat162float(p.bias[column]));
    if (both) second = __fadd_rn(second, __bfloat162float(p.bias[column + 1]));
  }
  first = activate(first, p.activation);
  second = activate(second, p.activation);
  __nv_bfloat16* target = p.y + row * p.y_stride + column;
  if (both && p.y_in_pairs) {
    *reinterpret_cast<uint32_t*>(target) = pack_bf16x2(first, second);
  } else {
    target[0] = __float2bfloat16_rn(first);
    if (both) target[1] = __float2bfloat16_rn(second);
  }
}

// grid.x: tiles of y; grid.y: parts of k.
template <class Tile, bool kAligned>
__global__ void __launch_bounds__(Tile::kThreads, 2) multiply(Problem p) {
  ASSAY_DYNAMIC_SHARED(unsigned char, shared);

  // This block's tile and part.
  const TilePlace place = tile_place(blockIdx.x, (p.m - 1) / Tile::kRows + 1, (p.n - 1) / Tile::kColumns + 1);
  const int64_t first_row = place.row * Tile::kRows, first_column = place.column * Tile::kColumns;
  const int64_t begin = blockIdx.y * p.part_k, left = p.k - begin;

  // The products.
  WarpSums<Tile, __nv_bfloat16> sums = {};
  const TileOperand<__nv_bfloat16> x{p.x + first_row * p.x_stride + begin, p.x_stride, p.m - first_row};
  const TileOperand<__nv_bfloat16> w{p.w + first_column * p.w_stride + begin, p.w_stride, p.n - first_column};
  multiply_tile<Tile, kAligned>(x, w, left < p.part_k ? left : p.part_k, shared, sums);

  // Into y, or into this part's partial sums, whose rows are filled up to their width.
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int i = 0; i < Tile::kRowMatrices; ++i)
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int64_t row = first_row + warp_row<Tile>() + i * 16 + h * 8 + lane / 4;
      if (row >= p.m) continue;
#pragma unroll
      for (int j = 0; j < Tile::kColumnMatrices; ++j) {
        const int64_t column = first_column + warp_column<Tile>() + j * 8 + lane % 4 * 2;
        const float first = sums[i][j][2 * h], second = sums[i][j][2 * h + 1];
        if (p.partial) {
          float* target = p.partial + (blockIdx.y * p.m + row) * p.partial_width + column;
          if (column < p.partial_width) *reinterpret_cast<float2*>(target) = make_float2(first, second);
        } else if (column < p.n) {
          store_pair(p, row, column, first, second);
        }
      }
    }
}

// Adds the parts in ascending order: four columns of a row a thread.
__global__ void __launch_bounds__(kAddThreads) add_parts(Problem p) {
  const int64_t fours = p.partial_width / kFour, step = static_cast<int64_t>(gridDim.x) * kAddThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kAddThreads + threadIdx.x; i < p.m * fours; i += step) {
    const int64_t row = i / fours, column = i % fours * kFour;
    const float* source = p.partial + row * p.partial_width + column;
    float4 sum = __ldcs(reinterpret_cast<const float4*>(source));
    for (int64_t part = 1; part < p.parts; ++part) {
      source += p.m * p.partial_width;
      const float4 next = __ldcs(reinterpret_cast<const float4*>(source));
      sum.x = __fadd_rn(sum.x, next.x);
      sum.y = __fadd_rn(sum.y, next.y);
      sum.z = __fadd_rn(sum.z, next.z);
      sum.w = __fadd_rn(sum.w, next.w);
    }
    store_pair(p, row, column, sum.x, sum.y);
    if (column + 2 < p.n) store_pair(p, row, column + 2, sum.z, sum.w);
  }
}

template <class Tile, bool kAligned>
cudaError_t launch_tiles(const Problem& p, cudaStream_t stream) {
  const int64_t rows = ceil_divide(p.m, Tile::kRows), columns = ceil_divide(p.n, Tile::kColumns);
  if (rows > kMaxGridX / columns) return cudaErrorInvalidValue;
  const auto kernel = multiply<Tile, kAligned>;
  const cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Tile::kSharedBytes);
  if (error != cudaSuccess) return error;
  const dim3 grid(static_cast<unsigned>(rows * columns), static_cast<unsigned>(p.parts));
  return launch(kernel, grid, dim3(Tile::kThreads), Tile::kSharedBytes, stream, p);
}

template <class Tile>
cudaError_t launch_tiles(const Problem& p, bool aligned, cudaStream_t stream) {
  return aligned ? launch_tiles<Tile, true>(p, stream) : launch_tiles<Tile, false>(p, stream);
}

int64_t part_length(int64_t k, int64_t split_k) { return kPartUnit * ceil_divide(ceil_divide(k, kPartUnit), split_k); }

bool is_legal(int64_t m, int64_t n, int64_t k, int64_t split_k) {
  return m >= 0 && n >= 0 && k >= 1 && k < kMaxK && split_k >= 1 && split_k <= kMaxSplit;
}

}  // namespace
}  // namespace assay

int64_t bf16_gemm_workspace_bytes(int64_t m, int64_t n, int64_t k, int64_t split_k) {
  using namespace assay;
  if (!is_legal(m, n, k, split_k)) return -1;
  const int64_t parts = ceil_divide(k, part_length(k, split_k));
  int64_t rows = 0, bytes = 0;
  if (parts == 1) return 0;
  const bool fits = !__builtin_mul_overflow(parts, m, &rows) && n <= INT64_MAX / 16 &&
                    !__builtin_mul_overflow(rows, ceil_divide(n, kFour) * kFour * int64_t{sizeof(float)}, &bytes);
  return fits ? bytes : -1;
}

cudaError_t bf16_gemm(__nv_bfloat16* y, int64_t y_stride, const __nv_bfloat16* x, int64_t x_stride, const __nv_bfloat16* w,
                      int64_t w_stride, const __nv_bfloat16* bias, int64_t m, int64_t n, int64_t k, int activation, int64_t split_k,
                      void* workspace, int64_t workspace_bytes, cudaStream_t stream) {
  using namespace assay;
  const int64_t needed = bf16_gemm_workspace_bytes(m, n, k, split_k);
  if (needed < 0 || activation < bf16_gemm_none || activation > bf16_gemm_silu) return cudaErrorInvalidValue;
  if (y_stride < n || x_stride < k || w_stride < k) return cudaErrorInvalidValue;
  if (!span_fits<__nv_bfloat16>(m, y_stride, n) || !span_fits<__nv_bfloat16>(m, x_stride, k) || !span_fits<__nv_bfloat16>(n, w_stride, k))
    return cudaErrorInvalidValue;
  if (m == 0 || n == 0) return cudaSuccess;
  if (!is_usable(y) || !is_usable(x) || !is_usable(w) || !is_aligned(bias, alignof(__nv_bfloat16))) return cudaErrorInvalidValue;
  if (needed > 0 && (workspace == nullptr || !is_aligned(workspace, 16) || workspace_bytes < needed)) return cudaErrorInvalidValue;

  const int64_t part_k = part_length(k, split_k), parts = ceil_divide(k, part_k);
  const Problem p{.y = y,
                  .x = x,
                  .w = w,
                  .bias = bias,
                  .partial = parts > 1 ? static_cast<float*>(workspace) : nullptr,
                  .y_stride = y_stride,
                  .x_stride = x_stride,
                  .w_stride = w_stride,
                  .partial_width = ceil_divide(n, kFour) * kFour,
                  .m = m,
                  .n = n,
                  .k = k,
                  .part_k = part_k,
                  .parts = parts,
                  .activation = activation,
                  .y_in_pairs = is_aligned(y, 4) && y_stride % 2 == 0};
  const bool aligned = is_aligned(x, kCopyBytes) && is_aligned(w, kCopyBytes) && x_stride % 8 == 0 && w_stride % 8 == 0;
  const cudaError_t error = m <= FewRows::kRows    ? launch_tiles<FewRows>(p, aligned, stream)
                            : m <= SomeRows::kRows ? launch_tiles<SomeRows>(p, aligned, stream)
                                                   : launch_tiles<ManyRows>(p, aligned, stream);
  if (error != cudaSuccess || parts == 1) return error;
  const int64_t blocks = std::min(ceil_divide(m * (p.partial_width / kFour), kAddThreads), kMaxGridX);
  return launch(add_parts, dim3(static_cast<unsigned>(blocks)), dim3(kAddThreads), 0, stream, p);
}
