#include "oracles/arithmetic/wide.hpp"

#include <ostream>

#include "oracles/arithmetic/wide_number.hpp"

namespace assay {
namespace {

using N = WideNumber;

}  // namespace

Wide::Wide(double x) { N::make(*this, x); }
Wide::Wide(long long x) { N::make(*this, x); }
Wide::Wide(unsigned long long x) { N::make(*this, x); }
Wide::Wide(const Wide& x) { N::make(*this, N::of(x)); }
Wide& Wide::operator=(const Wide& x) { return N::of(*this) = N::of(x), *this; }
Wide::operator double() const { return static_cast<double>(N::of(*this)); }

Wide& Wide::operator+=(const Wide& x) { return N::of(*this) += N::of(x), *this; }
Wide& Wide::operator-=(const Wide& x) { return N::of(*this) -= N::of(x), *this; }
Wide& Wide::operator*=(const Wide& x) { return N::of(*this) *= N::of(x), *this; }
Wide& Wide::operator/=(const Wide& x) { return N::of(*this) /= N::of(x), *this; }
Wide Wide::operator-() const { return N::wide(-N::of(*this)); }

std::partial_ordering operator<=>(const Wide& a, const Wide& b) {
  const N::Type &x = N::of(a), &y = N::of(b);
  if (x < y) return std::partial_ordering::less;
  if (x > y) return std::partial_ordering::greater;
  return x == y ? std::partial_ordering::equivalent : std::partial_ordering::unordered;
}

std::ostream& operator<<(std::ostream& out, const Wide& x) { return out << N::of(x); }

Wide abs(const Wide& x) { return N::wide(abs(N::of(x))); }
Wide sqrt(const Wide& x) { return N::wide(sqrt(N::of(x))); }
Wide exp(const Wide& x) { return N::wide(exp(N::of(x))); }
Wide sin(const Wide& x) { return N::wide(sin(N::of(x))); }
Wide cos(const Wide& x) { return N::wide(cos(N::of(x))); }
Wide ldexp(const Wide& x, int exponent) { return N::wide(ldexp(N::of(x), exponent)); }
Exact exact_of(const Wide& x) { return exact_of(N::of(x)); }

Decided decided(const Tracked<Wide>& x) {
  const Wide e = Wide(x.bound.total()) * (1 + Wide(0x1p-40));
  return {exact_of(x.value - e), exact_of(x.value + e), static_cast<double>(x.value), x.bound};
}

}  // namespace assay
