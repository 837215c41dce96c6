#include "kernels/launch.h"

#include "kernels/int4_dequant/int4_dequant.h"

#include "kernels/common/arguments.h"
#include "kernels/common/int4.cuh"

namespace assay {
namespace {

constexpr int kThreads = 256;
constexpr int kPerThread = 4;                    // words, a block's width apart: loads and stores of a warp are contiguous
constexpr int64_t kMaxWords = int64_t{1} << 40;  // keeps the grid below 2^31 blocks

template <class T, bool kVector>
__global__ void __launch_bounds__(kThreads)
    dequantise(uint16_t* __restrict__ out, const uint32_t* __restrict__ words, int64_t n, Int4Zero<T> zero) {
  const int64_t first = static_cast<int64_t>(blockIdx.x) * (kThreads * kPerThread) + threadIdx.x;

  // The words first, so that all loads are under way together.
  uint32_t word[kPerThread];
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) word[i] = first + i * kThreads < n ? __ldcs(words + first + i * kThreads) : 0;

#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const int64_t at = first + i * kThreads;
    if (at >= n) break;
    uint32_t pairs[4];
    int4_pairs(word[i], zero, pairs);
    const uint4 eight = natural_order(pairs);
    if (kVector) {
      reinterpret_cast<uint4*>(out)[at] = eight;
    } else {
      const uint32_t neighbours[4] = {eight.x, eight.y, eight.z, eight.w};
#pragma unroll
      for (int j = 0; j < 8; ++j) out[8 * at + j] = static_cast<uint16_t>(neighbours[j / 2] >> (j % 2 * 16));
    }
  }
}

template <class T>
cudaError_t launch_format(uint16_t* out, const uint32_t* words, int64_t n, int zero, cudaStream_t stream) {
  const auto kernel = is_aligned(out, 16) ? dequantise<T, true> : dequantise<T, false>;
  const auto blocks = static_cast<unsigned>(ceil_divide(n, kThreads * kPerThread));
  return launch(kernel, dim3(blocks), dim3(kThreads), 0, stream, out, words, n, int4_zero<T>(static_cast<uint32_t>(zero)));
}

}  // namespace
}  // namespace assay

cudaError_t int4_dequant(void* out, const uint32_t* words, int64_t n, int zero, int format, cudaStream_t stream) {
  using namespace assay;
  if (format != int4_dequant_fp16 && format != int4_dequant_bf16) return cudaErrorInvalidValue;
  if (zero < 0 || zero > 16 || n < 0 || n > kMaxWords) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  auto* elements = static_cast<uint16_t*>(out);
  if (!is_usable(elements) || !is_usable(words)) return cudaErrorInvalidValue;
  return format == int4_dequant_fp16 ? launch_format<__half>(elements, words, n, zero, stream)
                                     : launch_format<__nv_bfloat16>(elements, words, n, zero, stream);
}
