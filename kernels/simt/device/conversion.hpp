// Conversions of floating point to integers as the card does them: NaN gives 0 (a 64-bit result of NaN: the sign bit alone), values
// out of range the nearest bound. A plain C++ cast has no such promise on the host; kernels that may meet such values use these.
#pragma once

#include <cmath>
#include <limits>

#include "kernels/simt/device/keywords.hpp"

namespace simt {

// `rounded` is integral, infinite or NaN.
template <class Integer, class Float>
Integer saturate(Float rounded) {
  using Limits = std::numeric_limits<Integer>;
  if (rounded != rounded) return sizeof(Integer) == 8 ? static_cast<Integer>(1ull << 63) : 0;
  if (rounded <= static_cast<Float>(Limits::min())) return Limits::min();
  if (rounded >= static_cast<Float>(Limits::max())) return Limits::max();
  return static_cast<Integer>(rounded);
}

}  // namespace simt

// Four roundings of one pair of types: to nearest even, toward zero, up, down.
#define SIMT_TO_INTEGER(name, Float, Integer)                                                \
  inline Integer name##_rn(Float x) { return ::simt::saturate<Integer>(std::nearbyint(x)); } \
  inline Integer name##_rz(Float x) { return ::simt::saturate<Integer>(std::trunc(x)); }     \
  inline Integer name##_ru(Float x) { return ::simt::saturate<Integer>(std::ceil(x)); }      \
  inline Integer name##_rd(Float x) { return ::simt::saturate<Integer>(std::floor(x)); }
SIMT_TO_INTEGER(__float2int, float, int)
SIMT_TO_INTEGER(__float2uint, float, unsigned)
SIMT_TO_INTEGER(__float2ll, float, long long)
SIMT_TO_INTEGER(__float2ull, float, unsigned long long)
SIMT_TO_INTEGER(__double2int, double, int)
SIMT_TO_INTEGER(__double2uint, double, unsigned)
SIMT_TO_INTEGER(__double2ll, double, long long)
SIMT_TO_INTEGER(__double2ull, double, unsigned long long)
#undef SIMT_TO_INTEGER

inline float __int2float_rn(int x) { return static_cast<float>(x); }
inline float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
inline float __ll2float_rn(long long x) { return static_cast<float>(x); }
inline float __ull2float_rn(unsigned long long x) { return static_cast<float>(x); }
inline double __int2double_rn(int x) { return static_cast<double>(x); }
inline double __uint2double_rn(unsigned x) { return static_cast<double>(x); }
inline double __ll2double_rn(long long x) { return static_cast<double>(x); }
inline float __double2float_rn(double x) { return static_cast<float>(x); }
