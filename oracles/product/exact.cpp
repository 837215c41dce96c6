#include "oracles/product/exact.hpp"

#include <algorithm>
#include <bit>
#include <boost/multiprecision/cpp_int.hpp>
#include <climits>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "oracles/arithmetic/wide_number.hpp"

namespace assay::product {
namespace {

using boost::multiprecision::cpp_int;
using Int128 = __int128;

constexpr unsigned kKept = 300;   // bits of a Wide that hold any sum; it has 334

/// A finite double as an odd integer times a power of two.
struct Odd {
  int64_t significand = 0;
  int exponent = 0;
};

Odd odd(double x) {
  if (x == 0) return {};
  int exponent;
  const int64_t whole = int64_t(std::ldexp(std::frexp(x, &exponent), 53));
  const int zeros = std::countr_zero(uint64_t(whole));
  return {whole >> zeros, exponent - 53 + zeros};
}

struct Term {
  Int128 significand;   // up to 106 bits
  int exponent;
  int top;   // abs(term) < 2^top
};

int width(int64_t x) { return int(std::bit_width(uint64_t(std::abs(x)))); }

std::vector<Term> terms_of(std::span<const double> a, std::span<const double> b) {
  std::vector<Term> terms;
  for (size_t k = 0; k < a.size(); k++) {
    if (a[k] == 0 || b[k] == 0) continue;
    const Odd x = odd(a[k]), y = odd(b[k]);
    const int exponent = x.exponent + y.exponent;
    terms.push_back({Int128(x.significand) * y.significand, exponent, exponent + width(x.significand) + width(y.significand)});
  }
  return terms;
}

/// The integer times 2^exponent; what lies below its leading bits goes into the last of them.
Wide wide(cpp_int sum, int exponent) {
  const bool negative = sum < 0;
  if (negative) sum = -sum;
  if (sum != 0 && msb(sum) >= kKept) {
    const unsigned cut = unsigned(msb(sum)) + 1 - kKept;
    const bool inexact = lsb(sum) < cut;
    sum >>= cut, exponent += int(cut);
    if (inexact) bit_set(sum, 0);
  }
  return ldexp(WideNumber::wide(WideNumber::Type(negative ? cpp_int(-sum) : sum)), exponent);
}

std::vector<double> over(std::span<const double> row, std::span<const Range> ranges) {
  std::vector<double> some;
  for (const Range& r : ranges) some.insert(some.end(), row.begin() + r.first, row.begin() + r.end);
  return some;
}

std::vector<double> scaled_row(const Scaled& x, int64_t row, int64_t group_width) {
  const std::span<const double> values = x.values.finite_row(row), scales = x.scales.finite_row(row);
  std::vector<double> scaled(values.begin(), values.end());
  for (size_t k = 0; k < scaled.size(); k++) {
    const double scale = scales[k / size_t(group_width)];
    scaled[k] *= scale;
    if (std::fma(values[k], scale, -scaled[k]) != 0) throw std::domain_error("a scaled entry does not fit a double");
  }
  return scaled;
}

}  // namespace

Wide exact_dot(std::span<const double> a, std::span<const double> b) {
  const std::vector<Term> terms = terms_of(a, b);
  int low = INT_MAX, top = INT_MIN;
  for (const Term& t : terms) low = std::min(low, t.exponent), top = std::max(top, t.top);
  if (terms.empty()) return 0;
  if (top - low + int(std::bit_width(terms.size())) <= 126) {
    Int128 sum = 0;
    for (const Term& t : terms) sum += t.significand << (t.exponent - low);
    return wide(cpp_int(sum), low);
  }
  cpp_int sum = 0;
  for (const Term& t : terms) sum += cpp_int(t.significand) << unsigned(t.exponent - low);
  return wide(std::move(sum), low);
}

Wide exact_dot(const Panel& a, int64_t row, const Panel& b, int64_t column) { return exact_dot(a.finite_row(row), b.finite_row(column)); }

Wide exact_dot(const Panel& a, int64_t row, const Panel& b, int64_t column, std::span<const Range> ranges) {
  return exact_dot(over(a.finite_row(row), ranges), over(b.finite_row(column), ranges));
}

Wide exact_dot(const Scaled& a, int64_t row, const Scaled& b, int64_t column, int64_t width) {
  return exact_dot(scaled_row(a, row, width), scaled_row(b, column, width));
}

}  // namespace assay::product
