#include "kernels/launch.h"

#include "kernels/fused_add_rms_norm/fused_add_rms_norm.h"

#include "kernels/common/arguments.h"
#include "kernels/common/bf16_chunk.cuh"
#include "kernels/common/warp_reduce.cuh"

namespace assay {
namespace {

constexpr int kThreads = 256;  // fixed: the order of the sum depends on it
constexpr int kWarps = kThreads / 32;
constexpr int64_t kMaxWidth = int64_t{1} << 24;

// The sum over the block, in every thread.
__device__ __forceinline__ float block_sum(float value) {
  __shared__ float warp_sums[kWarps];
  value = warp_sum(value);
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = value;
  __syncthreads();
  return warp_sum<kWarps>(warp_sums[threadIdx.x % kWarps]);
}

// One block per row.
template <bool kVector>
__global__ void __launch_bounds__(kThreads)
    add_and_normalise(__nv_bfloat16* __restrict__ x, int64_t x_stride, __nv_bfloat16* __restrict__ residual, int64_t residual_stride,
                      const __nv_bfloat16* __restrict__ weight, int d, float eps) {
  __nv_bfloat16* x_row = x + blockIdx.x * x_stride;
  __nv_bfloat16* residual_row = residual + blockIdx.x * residual_stride;

  // Add, write the rounded sum back, and gather the squares of what was written.
  float sum_of_squares = 0.0f;
  for (int first = threadIdx.x * kChunk; first < d; first += kThreads * kChunk) {
    const int count = chunk_count(first, d);
    float added[kChunk];
    float z[kChunk];
    load_chunk<kVector>(x_row + first, count, added);
    load_chunk<kVector>(residual_row + first, count, z);
#pragma unroll
    for (int j = 0; j < kChunk; ++j) {
      z[j] = round_to_bf16(__fadd_rn(added[j], z[j]));
      sum_of_squares = __fmaf_rn(z[j], z[j], sum_of_squares);
    }
    store_chunk<kVector>(residual_row + first, count, z);
  }

  // One scale per row.
  const float mean_square = __fdiv_rn(block_sum(sum_of_squares), static_cast<float>(d));
  const float rstd = rsqrtf(__fadd_rn(mean_square, eps));

  // Normalise: each thread reads back the chunks it wrote itself.
  for (int first = threadIdx.x * kChunk; first < d; first += kThreads * kChunk) {
    const int count = chunk_count(first, d);
    float z[kChunk];
    float w[kChunk];
    load_chunk<kVector>(residual_row + first, count, z);
    load_chunk<kVector>(weight + first, count, w);
#pragma unroll
    for (int j = 0; j < kChunk; ++j) z[j] = __fmul_rn(__fmul_rn(z[j], rstd), w[j]);
    store_chunk<kVector>(x_row + first, count, z);
  }
}

}  // namespace
}  // namespace assay

cudaError_t fused_add_rms_norm(__nv_bfloat16* x, int64_t x_stride, __nv_bfloat16* residual, int64_t residual_stride,
                               const __nv_bfloat16* weight, int64_t rows, int64_t d, float eps, cudaStream_t stream) {
  using namespace assay;
  if (rows < 0 || rows > kMaxGridX || d < 0 || d > kMaxWidth || x_stride < d || residual_stride < d) return cudaErrorInvalidValue;
  if (!span_fits<__nv_bfloat16>(rows, x_stride, d) || !span_fits<__nv_bfloat16>(rows, residual_stride, d)) return cudaErrorInvalidValue;
  if (rows == 0 || d == 0) return cudaSuccess;
  if (!is_usable(x) || !is_usable(residual) || !is_usable(weight)) return cudaErrorInvalidValue;

  const bool vector =
      is_aligned(x, 16) && is_aligned(residual, 16) && is_aligned(weight, 16) && x_stride % kChunk == 0 && residual_stride % kChunk == 0;
  return launch(vector ? add_and_normalise<true> : add_and_normalise<false>, dim3(static_cast<unsigned>(rows)), dim3(kThreads), 0, stream,
                x, x_stride, residual, residual_stride, weight, static_cast<int>(d), eps);
}
