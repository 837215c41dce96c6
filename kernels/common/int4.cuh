// Four-bit codes to FP16 and BF16 by magic numbers: no conversion instruction, and exact for all codes and zero points.
//
// A code in the lowest mantissa bits of a number whose last place counts 1 reads base + code, and base + zero is a number of the same kind,
// so their difference is code - zero without a rounding (both are whole numbers below 2^11, 2^8 for BF16):
//
//   FP16, base 1024 (0x6400): 0x6400 | code. Codes four bits higher count sixteenfold, 0x6400 | code << 4 = 1024 + 16 code, and one fused
//         multiply-add by 1/16 with -(64 + zero) makes them code - zero, exact again (multiples of 1/16 below 128).
//   BF16, base 128 (0x4300): 0x4300 | code. Its mantissa has no room for a higher code, so those are shifted down.
//
// One mask, 0x000f000f, takes two codes that stand 16 bits apart: the pairs of a word are codes (0, 4) (1, 5) (2, 6) (3, 7), lower half
// first. AWQ and the exllama shuffle order the codes so that these are neighbours; for the article's, GPTQ's and Marlin's words a pair is
// what their kernels make of it, or natural_order() puts neighbours together. A stored code is 0 .. 15, a zero point 0 .. 16: 8 for u4b8,
// 16 for GPTQ's stored 15.
#pragma once

#include "kernels/ptx/logic.h"

namespace assay {

template <class T>
struct Int4Traits;
template <>
struct Int4Traits<__half> {
  using Pair = __half2;
  static constexpr uint32_t kBase = 0x64006400u;       // 1024
  static constexpr uint32_t kSixteenth = 0x2c002c00u;  // 1 / 16
};
template <>
struct Int4Traits<__nv_bfloat16> {
  using Pair = __nv_bfloat162;
  static constexpr uint32_t kBase = 0x43004300u;  // 128
};

// What a zero point is subtracted as; made once for many words.
template <class T>
struct Int4Zero {
  uint32_t magic;      // base + zero, in both halves
  uint32_t sixteenth;  // FP16: -(64 + zero), in both halves
};

// zero: 0 .. 16.
template <class T>
__host__ __device__ __forceinline__ constexpr Int4Zero<T> int4_zero(uint32_t zero) {
  const uint32_t both = zero | zero << 16;
  return {Int4Traits<T>::kBase | both, 0xd400d400u + (both << 4)};  // -64 is 0xd400, whose last place counts 1/16
}

// Two zero points from 0 to 15 that already lie 16 bits apart, lower half for the lower half.
template <class T>
__device__ __forceinline__ Int4Zero<T> int4_zero_pair(uint32_t zeros) {
  return {Int4Traits<T>::kBase | zeros, 0xd400d400u + (zeros << 4)};
}

// The difference of two pairs, exact here.
template <class T>
__device__ __forceinline__ uint32_t int4_subtract(uint32_t pair, uint32_t magic) {
  using Pair = typename Int4Traits<T>::Pair;
  const Pair difference = __hsub2_rn(*reinterpret_cast<const Pair*>(&pair), *reinterpret_cast<const Pair*>(&magic));
  return *reinterpret_cast<const uint32_t*>(&difference);
}

// pairs[j]: codes j and j + 4 of the word, less their zero points, lower half first.
__device__ __forceinline__ void int4_pairs(uint32_t word, const Int4Zero<__half>& zero, uint32_t (&pairs)[4]) {
  constexpr uint32_t kBase = Int4Traits<__half>::kBase, kSixteenth = Int4Traits<__half>::kSixteenth;
#pragma unroll
  for (int j = 0; j < 4; j += 2, word >>= 8) {
    pairs[j] = int4_subtract<__half>(lop3<kAndOr>(word, 0x000f000fu, kBase), zero.magic);
    const uint32_t high = lop3<kAndOr>(word, 0x00f000f0u, kBase);
    const __half2 value = __hfma2(*reinterpret_cast<const __half2*>(&high), *reinterpret_cast<const __half2*>(&kSixteenth),
                                  *reinterpret_cast<const __half2*>(&zero.sixteenth));
    pairs[j + 1] = *reinterpret_cast<const uint32_t*>(&value);
  }
}
__device__ __forceinline__ void int4_pairs(uint32_t word, const Int4Zero<__nv_bfloat16>& zero, uint32_t (&pairs)[4]) {
#pragma unroll
  for (int j = 0; j < 4; ++j, word >>= 4)
    pairs[j] = int4_subtract<__nv_bfloat16>(lop3<kAndOr>(word, 0x000f000fu, Int4Traits<__nv_bfloat16>::kBase), zero.magic);
}

// Pairs (0, 4) (1, 5) (2, 6) (3, 7) as pairs of neighbours (0, 1) (2, 3) (4, 5) (6, 7): eight elements in the order of memory.
__device__ __forceinline__ uint4 natural_order(const uint32_t (&pairs)[4]) {
  return make_uint4(__byte_perm(pairs[0], pairs[1], 0x5410), __byte_perm(pairs[2], pairs[3], 0x5410),
                    __byte_perm(pairs[0], pairs[1], 0x7632), __byte_perm(pairs[2], pairs[3], 0x7632));
}

}  // namespace assay
