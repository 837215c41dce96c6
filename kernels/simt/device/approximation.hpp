// The card's approximations, bit for bit: ex2, lg2, rcp and rsqrt of sm_90 over measured tables, and the CUDA functions made of them.
//
// Equal to an H200 for all 2^32 arguments of each function of one argument (math/hashes_slow_test.cpp). A NaN result is the card's,
// 7FFFFFFF. The rules beside the tables were found by measuring, not in any documentation: math/README.md.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "kernels/simt/device/keywords.hpp"
#include "kernels/simt/math/tables.hpp"

namespace simt {

__attribute__((always_inline)) inline const std::uint32_t* table(Table which) {
  const std::uint32_t* entries = __atomic_load_n(&tables[static_cast<unsigned>(which)], __ATOMIC_ACQUIRE);
  return __builtin_expect(entries != nullptr, 1) ? entries : expand(which);
}

constexpr std::uint32_t kInfinity = 0x7f800000u, kNan = 0x7fffffffu, kSmallestNormal = 0x00800000u, kMantissa = 0x007fffffu;

inline float float_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }

// The positive normal number `bits` times 2^exponent; results below the normal range flush to zero.
inline std::uint32_t scaled(std::uint32_t bits, int exponent) {
  const int biased = static_cast<int>(bits >> 23) + exponent;
  if (biased <= 0) return 0;
  if (biased >= 255) return kInfinity;
  return (bits & kMantissa) | static_cast<std::uint32_t>(biased) << 23;
}

// ex2.approx.ftz.f32. The table of positive arguments covers [1, 2), that of negative ones (-2, -1].
inline float ex2_ftz(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x), magnitude = bits & 0x7fffffffu;
  const bool negative = bits >> 31;
  if (magnitude > kInfinity) return float_of(kNan);
  if (magnitude < kSmallestNormal || (negative && magnitude < 0x34000000u)) return 1.0f;  // 34000000: 2^-23
  if (magnitude >= 0x43400000u) return negative ? 0.0f : float_of(kInfinity);             // 43400000: 192, past every finite result
  const auto steps = static_cast<std::int64_t>(static_cast<double>(float_of(magnitude)) * 0x1p23);
  const int whole = static_cast<int>(steps >> 23);
  const auto fraction = static_cast<std::uint32_t>(steps) & kMantissa;
  if (negative) return float_of(scaled(table(Table::ex2_negative)[fraction], 1 - whole));
  return float_of(scaled(table(Table::ex2_positive)[fraction], whole - 1));
}

// lg2.approx.ftz.f32. The tables cover [1, 2) and [0.5, 1), with results down to bits of 2^-36: the sum with an exponent is exact.
inline float lg2_ftz(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x), magnitude = bits & 0x7fffffffu;
  if (magnitude > kInfinity) return float_of(kNan);
  if (magnitude < kSmallestNormal) return float_of(0x80000000u | kInfinity);
  if (bits >> 31) return float_of(kNan);
  if (magnitude == kInfinity) return x;
  const int exponent = static_cast<int>(magnitude >> 23) - 127;
  const bool below = exponent < 0;
  const float entry = float_of(table(below ? Table::lg2_below_one : Table::lg2_above_one)[magnitude & kMantissa]);
  const double sum = (below ? exponent + 1 : exponent) + static_cast<double>(entry);
  return static_cast<float>(std::bit_cast<double>(std::bit_cast<std::uint64_t>(sum) >> 29 << 29));  // toward zero
}

// rcp.approx.ftz.f32
inline float rcp_ftz(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x), magnitude = bits & 0x7fffffffu, sign = bits & 0x80000000u;
  if (magnitude > kInfinity) return float_of(kNan);
  if (magnitude == kInfinity) return float_of(sign);
  if (magnitude < kSmallestNormal) return float_of(sign | kInfinity);
  return float_of(sign | scaled(table(Table::rcp)[magnitude & kMantissa], 127 - static_cast<int>(magnitude >> 23)));
}

// rsqrt.approx.ftz.f32. The table covers [1, 4).
inline float rsqrt_ftz(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x), magnitude = bits & 0x7fffffffu;
  if (magnitude > kInfinity) return float_of(kNan);
  if (magnitude < kSmallestNormal) return float_of((bits & 0x80000000u) | kInfinity);
  if (bits >> 31) return float_of(kNan);
  if (magnitude == kInfinity) return 0.0f;
  const int exponent = static_cast<int>(magnitude >> 23) - 127, odd = exponent & 1;
  const std::uint32_t entry = table(Table::rsqrt)[static_cast<std::uint32_t>(odd) << 23 | (magnitude & kMantissa)];
  return float_of(scaled(entry, -(exponent - odd) / 2));
}

// Without .ftz the compiler wraps the instruction for arguments or results outside the normal range.
inline float ex2(float x) {
  if (x < -126.0f) {
    const float root = ex2_ftz(x * 0.5f);
    return root * root;
  }
  return ex2_ftz(x);
}

inline float rsqrt(float x) {
  if (__builtin_fabsf(x) < 0x1p-126f) return rsqrt_ftz(x * 0x1p24f) * 0x1p12f;
  return rsqrt_ftz(x);
}

inline float divide_fast(float a, float b) {
  const float scale = __builtin_fabsf(b) < 0x1p-126f ? 0x1p24f : 1.0f;
  return (a * scale) * rcp_ftz(b * scale);
}

}  // namespace simt

// Takes the place of the C library's function in the files that include it (built with -fno-builtin-exp2f).
extern "C" inline float exp2f(float x) noexcept { return simt::ex2(x); }
inline float rsqrtf(float x) { return simt::rsqrt(x); }
inline float __expf(float x) { return simt::ex2(x * 1.4426950408889634f); }  // log2(e)
inline float __fdividef(float a, float b) { return simt::divide_fast(a, b); }
