// A real number that rounding can be decided on without error: a 64-bit significand, an exponent, and whether something smaller than
// one unit of the significand was cut off. Wider than any format here needs, so one rounding from it is the only rounding.
#pragma once
#include <cmath>
#include <cstdint>

namespace assay {

/// (-1)^negative * (significand + t) * 2^exponent with 0 < t < 1 if `sticky`, else t = 0. Finite values only.
/// A sticky significand must reach at least one bit below the last bit that is kept (62 bits do for every float format here, and for
/// integers below 2^61): rounding throws std::invalid_argument where the value is not determined.
struct Exact {
  bool negative = false;
  uint64_t significand = 0;
  int32_t exponent = 0;
  bool sticky = false;
};

/// The value of a double, exactly. Infinities and NaN throw std::domain_error.
Exact exact(double value);

/// A finite value of any binary float type with frexp, ldexp, floor and signbit (Boost.Multiprecision, long double): its leading 62 bits
/// and a sticky bit. Exponents beyond 32 bits are not met in practice and not supported.
template <class Real>
Exact exact_of(const Real& value) {
  using std::floor, std::frexp, std::ldexp, std::signbit;
  const bool negative = signbit(value) != 0;
  if (value == 0) return {.negative = negative};
  int exponent = 0;
  const Real fraction = frexp(negative ? Real(-value) : value, &exponent);  // in [1/2, 1)
  const Real scaled = ldexp(fraction, 62), whole = floor(scaled);
  return {negative, static_cast<uint64_t>(whole), exponent - 62, scaled != whole};
}

}  // namespace assay
