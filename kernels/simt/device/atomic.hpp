// Atomic operations, returning the old value.
//
// Integer results do not depend on the order of threads. Floating-point sums do, as on the card: blocks add in the order in which they
// run, which is fixed for one worker and open for several.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <bit>
#include <type_traits>

#include "kernels/simt/device/keywords.hpp"

namespace simt {

template <class T>
using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

// Replaces *address by next(*address). Tells the runtime whether memory changed: a thread whose atomics change nothing may be waiting.
template <class T, class Next>
__attribute__((always_inline)) inline T atomic_update(T* address, Next next, Site site) {
  auto* word = reinterpret_cast<Word<T>*>(address);
  Word<T> old = __atomic_load_n(word, __ATOMIC_ACQUIRE), desired;
  do desired = std::bit_cast<Word<T>>(static_cast<T>(next(std::bit_cast<T>(old))));
  while (!__atomic_compare_exchange_n(word, &old, desired, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
  if (desired == old)
    atomic_changed_nothing(address, old, site);
  else
    atomic_changed_memory();
  return std::bit_cast<T>(old);
}

// Two 16-bit elements of a word, each added with one rounding. The card makes no promise of both at once, only of each.
template <class Raw, class Pair>
__attribute__((always_inline)) inline Pair atomic_add_pair(Pair* address, Pair value, Site site) {
  const auto sum = [&value](std::uint32_t bits) {
    return std::bit_cast<std::uint32_t>(static_cast<Raw>(__hadd2(Pair(std::bit_cast<Raw>(bits)), value)));
  };
  return std::bit_cast<Raw>(atomic_update(reinterpret_cast<std::uint32_t*>(address), sum, site));
}

}  // namespace simt

inline __half2 atomicAdd(__half2* address, __half2 value, simt::Site site = simt::here()) {
  return simt::atomic_add_pair<__half2_raw>(address, value, site);
}
inline __nv_bfloat162 atomicAdd(__nv_bfloat162* address, __nv_bfloat162 value, simt::Site site = simt::here()) {
  return simt::atomic_add_pair<__nv_bfloat162_raw>(address, value, site);
}

#define SIMT_ATOMIC(name, T, expression)                               \
  inline T name(T* address, T value, simt::Site site = simt::here()) { \
    return simt::atomic_update(                                        \
        address, [value](T old) -> T { return expression; }, site);    \
  }
#define SIMT_INTEGER_ATOMICS(T)                        \
  SIMT_ATOMIC(atomicAdd, T, old + value)               \
  SIMT_ATOMIC(atomicExch, T, ((void)old, value))       \
  SIMT_ATOMIC(atomicMin, T, old < value ? old : value) \
  SIMT_ATOMIC(atomicMax, T, old > value ? old : value) \
  SIMT_ATOMIC(atomicAnd, T, old& value)                \
  SIMT_ATOMIC(atomicOr, T, old | value)                \
  SIMT_ATOMIC(atomicXor, T, old ^ value)
SIMT_INTEGER_ATOMICS(unsigned)
SIMT_INTEGER_ATOMICS(unsigned long long)
SIMT_ATOMIC(atomicAdd, int, static_cast<int>(static_cast<unsigned>(old) + static_cast<unsigned>(value)))
SIMT_ATOMIC(atomicSub, int, static_cast<int>(static_cast<unsigned>(old) - static_cast<unsigned>(value)))
SIMT_ATOMIC(atomicSub, unsigned, old - value)
SIMT_ATOMIC(atomicExch, int, ((void)old, value))
SIMT_ATOMIC(atomicMin, int, old < value ? old : value)
SIMT_ATOMIC(atomicMax, int, old > value ? old : value)
SIMT_ATOMIC(atomicAnd, int, old& value)
SIMT_ATOMIC(atomicOr, int, old | value)
SIMT_ATOMIC(atomicXor, int, old ^ value)
SIMT_ATOMIC(atomicMin, long long, old < value ? old : value)
SIMT_ATOMIC(atomicMax, long long, old > value ? old : value)
SIMT_ATOMIC(atomicInc, unsigned, old >= value ? 0 : old + 1)
SIMT_ATOMIC(atomicDec, unsigned, old == 0 || old > value ? value : old - 1)
SIMT_ATOMIC(atomicAdd, float, old + value)
SIMT_ATOMIC(atomicAdd, double, old + value)
SIMT_ATOMIC(atomicExch, float, ((void)old, value))
#undef SIMT_INTEGER_ATOMICS
#undef SIMT_ATOMIC

#define SIMT_COMPARE_AND_SWAP(T)                                                        \
  inline T atomicCAS(T* address, T expected, T value, simt::Site site = simt::here()) { \
    return simt::atomic_update(                                                         \
        address, [=](T old) { return old == expected ? value : old; }, site);           \
  }
SIMT_COMPARE_AND_SWAP(int)
SIMT_COMPARE_AND_SWAP(unsigned)
SIMT_COMPARE_AND_SWAP(unsigned long long)
#undef SIMT_COMPARE_AND_SWAP
