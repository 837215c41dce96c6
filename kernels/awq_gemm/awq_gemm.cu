#include "kernels/launch.h"

#include "kernels/awq_gemm/awq_gemm.h"

#include "kernels/awq_gemm/awq_weights.cuh"
#include "kernels/common/arguments.h"
#include "kernels/common/half_gemm.cuh"

namespace assay {
namespace {

constexpr int64_t kMaxK = int64_t{1} << 31;
constexpr int64_t kMaxSplit = 256;
constexpr int kThreads = 256;

// Part blockIdx.y of a tile of the product, rounded to FP16, to its matrix of the workspace.
template <int kRows>
__global__ void __launch_bounds__(kTileThreads) multiply_part(HalfMatrix x, AwqWeights w, __half* partials) {
  __shared__ __align__(16) TileMemory<kRows> memory;
  const int64_t tiles_across = (w.n + kTileColumns - 1) / kTileColumns;
  const int64_t row = blockIdx.x / tiles_across * kRows, column = blockIdx.x % tiles_across * kTileColumns;
  TileSum<kRows> sum = {};
  multiply_tile<kRows>(memory, x, w, row, column, static_cast<int>(blockIdx.y), w.k / kTileK, static_cast<int>(gridDim.y), sum);
  store_tile<kRows>(sum, partials + blockIdx.y * x.rows * w.n, w.n, true, row, column, x.rows, w.n);
}

// y = the sum of the partial matrices in ascending order. A thread has two neighbouring columns.
__global__ void __launch_bounds__(kThreads)
    add_parts(__half* y, int64_t y_stride, bool paired, const __half* partials, int64_t m, int64_t n, int parts) {
  const int64_t index = (static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x) * 2;
  if (index >= m * n) return;
  float2 sum = __half22float2(*reinterpret_cast<const __half2*>(partials + index));
  for (int part = 1; part < parts; ++part) {
    const float2 partial = __half22float2(*reinterpret_cast<const __half2*>(partials + part * m * n + index));
    sum.x = __fadd_rn(sum.x, partial.x);
    sum.y = __fadd_rn(sum.y, partial.y);
  }
  store_pair(y + index / n * y_stride + index % n, __floats2half2_rn(sum.x, sum.y), paired);
}

// A thread has eight columns of one k.
__global__ void __launch_bounds__(kThreads) dequantise(AwqWeights w, __half* target) {
  const int64_t index = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x, words = w.n / kEight;
  if (index >= w.k * words) return;
  const AwqWeights::Fetched fetched = w.fetch(index / words, index % words * kEight);
  *reinterpret_cast<uint4*>(target + index * kEight) = AwqWeights::decode(fetched);
}

template <int kRows>
cudaError_t launch_parts(const HalfMatrix& x, const AwqWeights& w, int64_t parts, __half* partials, cudaStream_t stream) {
  const int64_t tiles = ceil_divide(x.rows, kRows) * ceil_divide(w.n, kTileColumns);
  if (tiles > kMaxGridX) return cudaErrorInvalidValue;
  const dim3 grid(static_cast<unsigned>(tiles), static_cast<unsigned>(parts));
  return launch(multiply_part<kRows>, grid, dim3(kTileThreads), 0, stream, x, w, partials);
}

cudaError_t multiply_few_rows(__half* y, int64_t y_stride, const HalfMatrix& x, const AwqWeights& w, int64_t parts, __half* workspace,
                              cudaStream_t stream) {
  const int64_t blocks = ceil_divide(x.rows * w.n, 2 * kThreads);
  if (blocks > kMaxGridX) return cudaErrorInvalidValue;
  const cudaError_t error =
      x.rows <= 16 ? launch_parts<16>(x, w, parts, workspace, stream) : launch_parts<64>(x, w, parts, workspace, stream);
  if (error != cudaSuccess) return error;
  const bool paired = is_aligned(y, 4) && y_stride % 2 == 0;
  return launch(add_parts, dim3(static_cast<unsigned>(blocks)), dim3(kThreads), 0, stream, y, y_stride, paired, workspace, x.rows, w.n,
                static_cast<int>(parts));
}

cudaError_t multiply_many_rows(__half* y, int64_t y_stride, const HalfMatrix& x, const AwqWeights& w, __half* workspace,
                               cudaStream_t stream) {
  const int64_t blocks = ceil_divide(w.k * (w.n / kEight), kThreads);
  if (blocks > kMaxGridX || !half_gemm_fits(x.rows, w.n)) return cudaErrorInvalidValue;
  const cudaError_t error = launch(dequantise, dim3(static_cast<unsigned>(blocks)), dim3(kThreads), 0, stream, w, workspace);
  if (error != cudaSuccess) return error;
  return launch_half_gemm(x, {workspace, w.k, w.n, w.n, true}, y, y_stride, stream);
}

}  // namespace
}  // namespace assay

cudaError_t awq_gemm(__half* y, int64_t y_stride, const __half* x, int64_t x_stride, const uint32_t* w, int64_t w_stride,
                     const uint32_t* zeros, int64_t zeros_stride, const __half* scale, int64_t scale_stride, int64_t m, int64_t n,
                     int64_t k, int64_t group, int64_t split_k, __half* workspace, cudaStream_t stream) {
  using namespace assay;
  if (m < 0 || n < 0 || n % 8 != 0 || k <= 0 || k % kTileK != 0 || k >= kMaxK) return cudaErrorInvalidValue;
  if (group <= 0 || group % kTileK != 0 || k % group != 0 || split_k < 1 || split_k > kMaxSplit) return cudaErrorInvalidValue;
  if (y_stride < n || x_stride < k || w_stride < n / 8 || zeros_stride < n / 8 || scale_stride < n) return cudaErrorInvalidValue;
  if (!span_fits<__half>(m, y_stride, n) || !span_fits<__half>(m, x_stride, k) || !span_fits<uint32_t>(k, w_stride, n / 8) ||
      !span_fits<uint32_t>(k / group, zeros_stride, n / 8) || !span_fits<__half>(k / group, scale_stride, n) ||
      !span_fits<__half>(m >= kAwqManyRows ? k : m * split_k, n, n)) {
    return cudaErrorInvalidValue;
  }
  if (m == 0 || n == 0) return cudaSuccess;
  if (!is_usable(y) || !is_usable(x) || !is_usable(w) || !is_usable(zeros) || !is_usable(scale)) return cudaErrorInvalidValue;
  if (workspace == nullptr || !is_aligned(workspace, 16)) return cudaErrorInvalidValue;

  const HalfMatrix activations{x, m, k, x_stride, rows_on_16_bytes(x, x_stride)};
  const bool vector = rows_on_16_bytes(scale, scale_stride);
  const AwqWeights weights{w, zeros, scale, w_stride, zeros_stride, scale_stride, n, static_cast<int>(k), static_cast<int>(group), vector};
  if (m >= kAwqManyRows) return multiply_many_rows(y, y_stride, activations, weights, workspace, stream);
  return multiply_few_rows(y, y_stride, activations, weights, split_k, workspace, stream);
}
