// Pairs of 16-bit elements in a 32-bit register.
#pragma once

#include "kernels/launch.h"

namespace assay::marlin {

template <class T>
struct PairOf;
template <>
struct PairOf<__half> {
  using Type = __half2;
};
template <>
struct PairOf<__nv_bfloat16> {
  using Type = __nv_bfloat162;
};

template <class T>
__device__ __forceinline__ typename PairOf<T>::Type as_pair(uint32_t word) {
  return *reinterpret_cast<typename PairOf<T>::Type*>(&word);
}

template <class Pair>
__device__ __forceinline__ uint32_t as_word(Pair pair) {
  return *reinterpret_cast<uint32_t*>(&pair);
}

// Both products rounded once, subnormals kept.
template <class T>
__device__ __forceinline__ uint32_t multiply_pairs(uint32_t a, uint32_t b) {
  return as_word(__hmul2_rn(as_pair<T>(a), as_pair<T>(b)));
}

// Element kHalf of each of two pairs.
template <int kHalf>
__device__ __forceinline__ uint32_t take(uint32_t a, uint32_t b) {
  return __byte_perm(a, b, kHalf ? 0x7632 : 0x5410);
}

template <class T>
__device__ __forceinline__ T rounded(float value) {
  if constexpr (std::is_same_v<T, __half>)
    return __float2half_rn(value);
  else
    return __float2bfloat16_rn(value);
}

}  // namespace assay::marlin
