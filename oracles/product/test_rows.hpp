// For tests: rows that are hard to sum, and their sums in floating point wide enough to be exact.
#pragma once
#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "oracles/formats/format.hpp"
#include "oracles/product/panel.hpp"

namespace assay::product::test {

/// Sums of products of entries between 2^-250 and 2^250, exactly: 1000 bits of span, 106 of a product, 2^20 terms.
using Big = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<1150, boost::multiprecision::digit_base_2>,
                                          boost::multiprecision::et_off>;

using Matrix = std::vector<std::vector<double>>;

inline Panel::Decode decoder(const Matrix& rows) {
  return [&rows](int64_t row, std::span<double> values) { std::ranges::copy(rows[size_t(row)], values.begin()); };
}
inline Panel panel(const Matrix& rows) { return {int64_t(rows.empty() ? 0 : rows[0].size()), 0, int64_t(rows.size()), decoder(rows)}; }

struct Sums {
  Big value = 0, magnitude = 0, squares = 0;
};

inline Sums sums(std::span<const double> a, std::span<const double> b) {
  Sums s;
  for (size_t k = 0; k < a.size(); k++) {
    const Big p = Big(a[k]) * Big(b[k]);
    s.value += p, s.magnitude += abs(p), s.squares += p * p;
  }
  return s;
}

class Draw {
 public:
  explicit Draw(uint64_t seed) : bits(seed) {}
  uint64_t below(uint64_t n) { return bits() % n; }
  double unit() { return double(bits() >> 11) * 0x1p-53; }
  double normal() { return std::sqrt(-2 * std::log(unit() + 0x1p-60)) * std::cos(6.283185307179586 * unit()); }
  double sign() { return bits() & 1 ? 1 : -1; }

  /// A finite code of the format with all its exponents equally likely.
  double any_code(Format format) {
    for (;;) {
      const double x = decode(format, bits() & (code_count(format) - 1));
      if (std::isfinite(x)) return x;
    }
  }
  double rounded(Format format, double x) { return decode(format, encode(format, x, Overflow::saturate)); }

 private:
  std::mt19937_64 bits;
};

enum class Kind {
  normal_bf16,
  any_bf16,
  any_fp16,
  any_e4m3,
  any_e5m2,
  subnormal_bf16,
  one_sided_fp16,
  scaled_int4,
  scaled_e4m3,
  sparse_bf16
};
inline constexpr Kind kKinds[] = {Kind::normal_bf16,    Kind::any_bf16,       Kind::any_fp16,    Kind::any_e4m3,    Kind::any_e5m2,
                                  Kind::subnormal_bf16, Kind::one_sided_fp16, Kind::scaled_int4, Kind::scaled_e4m3, Kind::sparse_bf16};

inline double draw(Kind kind, Draw& d) {
  switch (kind) {
    case Kind::normal_bf16: return d.rounded(Format::bf16, d.normal());
    case Kind::any_bf16: return d.any_code(Format::bf16);
    case Kind::any_fp16: return d.any_code(Format::fp16);
    case Kind::any_e4m3: return d.any_code(Format::e4m3fn);
    case Kind::any_e5m2: return d.any_code(Format::e5m2);
    case Kind::subnormal_bf16: return d.sign() * double(d.below(128)) * 0x1p-133;
    case Kind::one_sided_fp16: return d.rounded(Format::fp16, d.unit());
    case Kind::scaled_int4: return (double(d.below(16)) - 8) * d.rounded(Format::bf16, 0.01 * (1 + d.unit()));
    case Kind::scaled_e4m3: return d.any_code(Format::e4m3fn) * double(float(1 + d.unit()));
    case Kind::sparse_bf16: return d.below(8) ? 0 : d.any_code(Format::bf16);
  }
  return 0;
}

inline Matrix matrix(Kind kind, int64_t rows, int64_t k, Draw& d) {
  Matrix m(size_t(rows), std::vector<double>(size_t(k), 0.0));
  for (auto& row : m) std::ranges::generate(row, [&] { return draw(kind, d); });
  return m;
}

/// The second half of each row of a cancels the first against any row of b, but for its last term.
inline void cancel(Matrix& a, Matrix& b) {
  for (auto& row : a)
    for (size_t k = 0; k < row.size() / 2; k++) row[row.size() / 2 + k] = -row[k];
  for (auto& row : b)
    for (size_t k = 0; k < row.size() / 2; k++) row[row.size() / 2 + k] = row[k];
}

}  // namespace assay::product::test
