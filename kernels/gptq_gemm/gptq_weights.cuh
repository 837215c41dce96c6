// GPTQ's packed weights: eight k of one column from a word.
#pragma once

#include "kernels/common/half_words.cuh"

namespace assay {

struct GptqWeights {
  const uint32_t* w;
  const uint32_t* zeros;
  const __half* scale;
  int64_t w_stride, zeros_stride, scale_stride;
  int64_t n;
  int k, group;
  int zero_offset;

  // 1024 + z of a column, twice.
  __device__ __forceinline__ __half2 zero(int64_t g, int64_t column) const {
    const uint32_t stored = zeros[g * zeros_stride + column / 8] >> (column % 8 * 4) & 0xfu;
    return as_half2((stored + zero_offset) * 0x00010001u + k1024s);
  }
};

// q - z of k = 2i (lower half) and 2i + 1, i = 0..3, of a word. zero: as GptqWeights::zero gives it; the difference of 1024 + q and
// 1024 + z is exact.
__device__ __forceinline__ void decode_gptq_word(uint32_t word, __half2 zero, __half2 (&weights)[4]) {
  const uint32_t even = word & 0x0f0f0f0fu, odd = word >> 4 & 0x0f0f0f0fu;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    // Byte i of even under byte i of odd; the bytes above them are other codes and make room for 1024.
    const uint32_t codes = (__byte_perm(even, odd, 0x0400u + 0x0101u * i) & 0x00ff00ffu) | k1024s;
    weights[i] = __hsub2(as_half2(codes), zero);
  }
}

}  // namespace assay
