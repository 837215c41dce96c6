// Minimum and maximum as the card has them: a NaN loses, two NaNs give the canonical one, and -0 < +0.
#pragma once

#include <bit>
#include <type_traits>

#include "kernels/simt/device/keywords.hpp"

namespace simt {

template <class T>
T canonical_nan() {
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<float>(0x7fffffffu);
  else
    return std::bit_cast<double>(std::uint64_t{0x7fffffffffffffff});
}

template <class T>
__attribute__((always_inline)) inline T smaller(T a, T b) {
  if (a < b) return a;
  if (b < a) return b;
  if (a == b) return __builtin_signbit(a) ? a : b;
  return a == a ? a : b == b ? b : canonical_nan<T>();
}

template <class T>
__attribute__((always_inline)) inline T larger(T a, T b) {
  if (a > b) return a;
  if (b > a) return b;
  if (a == b) return __builtin_signbit(a) ? b : a;
  return a == a ? a : b == b ? b : canonical_nan<T>();
}

}  // namespace simt

// The C library leaves the sign of zero open, and gives NaN where one of two is signalling: these definitions take the place of its
// functions in the files that include them. Names of their own for the linker, or an image's call that is not inlined would reach it.
extern "C" {
float fminf(float, float) noexcept __asm__("simt_fminf");
float fmaxf(float, float) noexcept __asm__("simt_fmaxf");
double fmin(double, double) noexcept __asm__("simt_fmin");
double fmax(double, double) noexcept __asm__("simt_fmax");
inline float fminf(float a, float b) noexcept { return simt::smaller(a, b); }
inline float fmaxf(float a, float b) noexcept { return simt::larger(a, b); }
inline double fmin(double a, double b) noexcept { return simt::smaller(a, b); }
inline double fmax(double a, double b) noexcept { return simt::larger(a, b); }
}

inline float min(float a, float b) { return simt::smaller(a, b); }
inline float max(float a, float b) { return simt::larger(a, b); }
inline double min(double a, double b) { return simt::smaller(a, b); }
inline double max(double a, double b) { return simt::larger(a, b); }

template <class A, class B, class = std::enable_if_t<std::is_integral_v<A> && std::is_integral_v<B>>>
constexpr std::common_type_t<A, B> min(A a, B b) {
  using T = std::common_type_t<A, B>;
  return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}

template <class A, class B, class = std::enable_if_t<std::is_integral_v<A> && std::is_integral_v<B>>>
constexpr std::common_type_t<A, B> max(A a, B b) {
  using T = std::common_type_t<A, B>;
  return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
}
