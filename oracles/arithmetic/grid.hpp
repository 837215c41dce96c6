// The grid that a set of numbers lies on: what decides whether their partial sums are representable (numerics: exactness certificate).
#pragma once
#include <bit>
#include <cstdint>

namespace assay {

/// The largest power of two that divides a finite, non-zero double (a normal one; operands here are far above 2^-1022).
inline double lowest_bit(double value) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint64_t fraction = bits & 0xFFFFFFFFFFFFFu;
  const int exponent = int(bits >> 52 & 0x7FF) - 1023;
  const int lowest = exponent - (fraction ? 52 - std::countr_zero(fraction) : 0);
  return std::bit_cast<double>(uint64_t(lowest + 1023) << 52);
}

}  // namespace assay
