// A real number that rounding can be decided on without error: a 64-bit significand, an exponent, and whether something smaller than
// one unit of the significand was cut off. Wider than any format here needs, so one rounding from it is the only rounding.
#pragma once
#include <cstdint>

namespace assay {

/// (-1)^negative * (significand + t) * 2^exponent with 0 < t < 1 if `sticky`, else t = 0. Finite values only.
struct Exact {
  bool negative = false;
  uint64_t significand = 0;
  int32_t exponent = 0;
  bool sticky = false;
};

/// The value of a finite double, exactly.
Exact exact(double value);

/// A finite value of any binary float type with frexp and ldexp (Boost.Multiprecision): its leading 62 bits and a sticky bit.
template <class Real>
Exact exact_of(const Real& value) {
  if (value == 0) return {};
  int exponent = 0;
  Real fraction = frexp(value < 0 ? Real(-value) : value, &exponent);   // in [1/2, 1)
  const Real scaled = ldexp(fraction, 62), whole = floor(scaled);
  return {value < 0, static_cast<uint64_t>(whole), exponent - 62, scaled != whole};
}

}  // namespace assay
