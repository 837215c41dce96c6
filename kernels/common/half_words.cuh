// FP16 in 32-bit words, two or (in a uint4) eight at a time.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>
#include <cstring>

namespace assay {

inline constexpr int kEight = 8;  // halves in 16 bytes

// The two halves of a word, the lower half first.
__device__ __forceinline__ __half2 as_half2(uint32_t word) {
  __half2_raw pair;
  memcpy(&pair, &word, sizeof pair);
  return pair;
}
__device__ __forceinline__ uint32_t as_word(__half2 pair) {
  const __half2_raw raw = pair;
  uint32_t word;
  memcpy(&word, &raw, sizeof word);
  return word;
}
__device__ __forceinline__ uint32_t as_word(__half low, __half high) { return as_word(__halves2half2(low, high)); }

// Codes c (0 .. 15, and 16) in the lower bits of both halves of a word, as halves: 0x6400 is 1024, whose last bit counts 1.
inline constexpr uint32_t k1024s = 0x64006400u;

// Eight consecutive halves, zeros from `count` on. vector: where source is 16-byte aligned.
__device__ __forceinline__ uint4 load_eight(const __half* source, int count, bool vector) {
  if (vector && count >= kEight) return *reinterpret_cast<const uint4*>(source);
  __half values[kEight];
#pragma unroll
  for (int i = 0; i < kEight; ++i) values[i] = i < count ? source[i] : __ushort_as_half(0);
  return make_uint4(as_word(values[0], values[1]), as_word(values[2], values[3]), as_word(values[4], values[5]),
                    as_word(values[6], values[7]));
}

// Two neighbours. paired: where target is 4-byte aligned.
__device__ __forceinline__ void store_pair(__half* target, __half2 pair, bool paired) {
  if (paired) {
    *reinterpret_cast<__half2*>(target) = pair;
  } else {
    target[0] = __low2half(pair);
    target[1] = __high2half(pair);
  }
}

}  // namespace assay
