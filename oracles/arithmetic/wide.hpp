// The last word of every oracle: 100-digit binary floating point. The type behind it is Boost.Multiprecision's and known to wide.cpp alone
// (wide_number.hpp), so that an oracle compiles without it.
#pragma once
#include <compare>
#include <concepts>
#include <cstddef>
#include <iosfwd>

#include "oracles/arithmetic/tracked.hpp"
#include "oracles/contract.hpp"

namespace assay {

/// 334 bits of significand, exponents of 32 bits, NaN and infinities as a double's; every operation is right to a few units in the last
/// place (kOracleRoundoff). Sums, products and quotients of values with few bits are exact as in any binary format.
class Wide {
 public:
  Wide() : Wide(0.0) {}
  Wide(double);
  Wide(std::signed_integral auto x) : Wide(static_cast<long long>(x)) {}
  Wide(std::unsigned_integral auto x) : Wide(static_cast<unsigned long long>(x)) {}
  Wide(long long);
  Wide(unsigned long long);
  Wide(const Wide&);
  Wide& operator=(const Wide&);

  explicit operator double() const;  // rounded to nearest

  Wide& operator+=(const Wide&);
  Wide& operator-=(const Wide&);
  Wide& operator*=(const Wide&);
  Wide& operator/=(const Wide&);
  Wide operator-() const;
  friend Wide operator+(Wide a, const Wide& b) { return a += b; }
  friend Wide operator-(Wide a, const Wide& b) { return a -= b; }
  friend Wide operator*(Wide a, const Wide& b) { return a *= b; }
  friend Wide operator/(Wide a, const Wide& b) { return a /= b; }
  friend bool operator==(const Wide& a, const Wide& b) { return (a <=> b) == 0; }
  friend std::partial_ordering operator<=>(const Wide&, const Wide&);
  friend std::ostream& operator<<(std::ostream&, const Wide&);

 private:
  friend struct WideNumber;
  alignas(16) std::byte storage[80];
};

Wide abs(const Wide&);
Wide sqrt(const Wide&);
Wide exp(const Wide&);
Wide sin(const Wide&);
Wide cos(const Wide&);
Wide ldexp(const Wide&, int exponent);
/// Leading 62 bits and a sticky bit; finite values only.
Exact exact_of(const Wide&);

/// The interval that a bound allows around a wide value, ready to be rounded once. The bound's total is inflated by 2^-40 (tracked.hpp).
Decided decided(const Tracked<Wide>&);

inline Expected expected(const Tracked<double>& x) { return {x.value, x.radius, x.bound}; }

}  // namespace assay
