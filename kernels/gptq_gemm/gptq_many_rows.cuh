// GPTQ products of many rows: weights reconstructed in memory, activations permuted, then a plain FP16 product.
#pragma once

#include "kernels/common/half_gemm.cuh"
#include "kernels/gptq_gemm/gptq_weights.cuh"

namespace assay {
namespace {  // kernels are no templates: every file that includes this has its own

constexpr int kCopyThreads = 256;

// target[k][n] = fp16((q - z) * scale). A thread has eight k of two columns.
__global__ void __launch_bounds__(kCopyThreads) reconstruct(GptqWeights weights, __half* target) {
  const int64_t index = static_cast<int64_t>(blockIdx.x) * kCopyThreads + threadIdx.x, pairs = weights.n / 2;
  if (index >= weights.k / 8 * pairs) return;
  const int64_t row = index / pairs, column = index % pairs * 2;
  const int64_t g = row * 8 / weights.group;
  const uint32_t* words = weights.w + row * weights.w_stride + column;
  const __half* scales = weights.scale + g * weights.scale_stride + column;
  __half2 first[4], second[4];
  decode_gptq_word(words[0], weights.zero(g, column), first);
  decode_gptq_word(words[1], weights.zero(g, column + 1), second);
  const __half2 scale = __halves2half2(scales[0], scales[1]);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    auto* at = reinterpret_cast<__half2*>(target + (row * 8 + 2 * i) * weights.n + column);
    at[0] = __hmul2(__lows2half2(first[i], second[i]), scale);
    at[pairs] = __hmul2(__highs2half2(first[i], second[i]), scale);
  }
}

// target[m][k] = x[m][perm[k]], a thread an element.
__global__ void __launch_bounds__(kCopyThreads)
    permute(const __half* x, int64_t x_stride, const int32_t* perm, int64_t m, int64_t k, __half* target) {
  const int64_t index = static_cast<int64_t>(blockIdx.x) * kCopyThreads + threadIdx.x;
  if (index < m * k) target[index] = x[index / k * x_stride + perm[index % k]];
}

// workspace: m rows of k FP16, in multiples of 8, if there is a permutation; then k rows of n.
cudaError_t multiply_many_rows(__half* y, int64_t y_stride, const __half* x, int64_t x_stride, const int32_t* perm, int64_t m,
                               const GptqWeights& weights, __half* workspace, cudaStream_t stream) {
  const int64_t k = weights.k, n = weights.n;
  const int64_t permute_blocks = perm ? ceil_divide(m * k, kCopyThreads) : 0, blocks = ceil_divide(k / 8 * (n / 2), kCopyThreads);
  if (permute_blocks > kMaxGridX || blocks > kMaxGridX || !half_gemm_fits(m, n)) return cudaErrorInvalidValue;
  if (perm) {
    const cudaError_t error =
        launch(permute, dim3(static_cast<unsigned>(permute_blocks)), dim3(kCopyThreads), 0, stream, x, x_stride, perm, m, k, workspace);
    if (error != cudaSuccess) return error;
    x = workspace, x_stride = k;
    workspace += ceil_divide(m * k, kEight) * kEight;
  }
  const cudaError_t error = launch(reconstruct, dim3(static_cast<unsigned>(blocks)), dim3(kCopyThreads), 0, stream, weights, workspace);
  if (error != cudaSuccess) return error;
  return launch_half_gemm({x, m, k, x_stride, rows_on_16_bytes(x, x_stride)}, {workspace, k, n, n, true}, y, y_stride, stream);
}

}  // namespace
}  // namespace assay
