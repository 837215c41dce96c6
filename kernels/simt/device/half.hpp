// Fused half and bfloat16 operations that the CUDA headers have for the device only. One rounding, like the instruction.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <bit>
#include <cmath>

#include "kernels/simt/device/keywords.hpp"

namespace simt {

// a * b + c of half or bfloat16 values as a double that every narrower format rounds like the exact sum: the product is exact in a
// double (at most 22 bits), and a lost tail of the sum is kept as an odd last bit.
inline double fused_odd(double a, double b, double c) {
  const double product = a * b, sum = product + c;
  if (!std::isfinite(sum)) return sum;
  const double part = sum - product, lost = (product - (sum - part)) + (c - part);
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  if (lost == 0 || (bits & 1)) return sum;
  return std::bit_cast<double>((lost > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

}  // namespace simt

inline __half __hfma(__half a, __half b, __half c) {
  return __double2half(simt::fused_odd(__half2float(a), __half2float(b), __half2float(c)));
}

inline __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return __double2bfloat16(simt::fused_odd(__bfloat162float(a), __bfloat162float(b), __bfloat162float(c)));
}

inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return __halves2half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }

inline __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  return __halves2bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
