#include "oracles/product/sums.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <type_traits>
#include <utility>

namespace assay::product {
namespace {

constexpr int64_t kChunk = 256;   // k at a time: copies stay within the second cache, and a product this deep is at full speed

/// Some columns of a panel's rows, each entry x as function(x, its row's scale), side by side.
template <class Real>
class Copies {
 public:
  explicit Copies(Part part) : part(part), copies(std::make_unique_for_overwrite<Real[]>(size_t(part.rows.count() * kChunk))) {}

  template <class F>
  void take(int64_t first_k, int64_t count, int64_t at, F function) {
    for (int64_t row = part.rows.first; row < part.rows.end; row++) {
      const double *from = part.panel.finite_row(row).data() + first_k, scale = 1 / part.panel.binade(row);
      Real* to = &copies[size_t((row - part.rows.first) * kChunk + at)];
      for (int64_t i = 0; i < count; i++) to[i] = Real(function(from[i], scale));
    }
  }
  RowsOf<Real> view() const { return {copies.get(), part.rows.count(), kChunk}; }

 private:
  Part part;
  std::unique_ptr<Real[]> copies;
};

/// c = the product of copies whose entries went through the function.
template <class Real, class F>
void product_of(Part a, Part b, std::span<const Range> ranges, TargetOf<Real> c, F function) {
  Copies<Real> left(a), right(b);
  int64_t filled = 0;
  bool add = false;
  auto flush = [&] { matrix_product(left.view(), right.view(), std::exchange(filled, 0), c, std::exchange(add, true)); };
  for (const Range& range : ranges)
    for (int64_t k = range.first; k < range.end;) {
      const int64_t n = std::min(range.end - k, kChunk - filled);
      left.take(k, n, filled, function), right.take(k, n, filled, function);
      k += n, filled += n;
      if (filled == kChunk) flush();
    }
  if (filled > 0 || !add) flush();
}

Rows view(Part part, int64_t first_k) {
  const Rows rows = part.panel.view(first_k);
  return {rows.first + part.rows.first * rows.stride, part.rows.count(), rows.stride};
}

double power(Of of, double x) { return of == Of::magnitudes ? x : x * x; }

/// The computed sums times what they were scaled by, raised where they need not be exact.
template <class Real>
void raise(Of of, Part a, Part b, int64_t terms, TargetOf<const Real> sums, Target c) {
  // Each factor is rounded at most twice, by the unit roundoff of Real: sum <= computed / (1 - (terms + 4) u). One more for this product.
  constexpr double u = std::is_same_v<Real, float> ? 0x1p-24 : 0x1p-53, significand = 1 / u;
  const double factor = 1 + double(terms + 5) * 2 * u;
  const bool scaled = std::is_same_v<Real, float>;
  std::vector<double> limit, unit;
  for (int64_t j = b.rows.first; j < b.rows.end; j++) {
    limit.push_back(significand * power(of, b.panel.grid(j)));
    unit.push_back(scaled ? power(of, b.panel.binade(j)) : 1);
  }
  for (int64_t i = 0; i < a.rows.count(); i++) {
    const double row_limit = power(of, a.panel.grid(a.rows.first + i)), row_unit = scaled ? power(of, a.panel.binade(a.rows.first + i)) : 1;
    const Real* from = sums.first + i * sums.stride;
    double* to = c.first + i * c.stride;
    for (int64_t j = 0; j < b.rows.count(); j++) {
      const double sum = double(from[j]) * (row_unit * unit[size_t(j)]), above = sum * factor;
      to[j] = above <= row_limit * limit[size_t(j)] ? sum : above;
    }
  }
}

/// Whether floats serve: then no product of scaled entries is below 2^-120, and the factor above 1 stays small.
bool fits_floats(Of of, Part a, Part b, int64_t terms) {
  const double window = of == Of::magnitudes ? 0x1p60 : 0x1p30;
  return terms <= 1 << 20 && a.panel.window() <= window && b.panel.window() <= window;
}

template <class Real, class F>
void sum_above(Of of, Part a, Part b, std::span<const Range> ranges, TargetOf<Real> sums, Target c, F function) {
  product_of(a, b, ranges, sums, function);
  raise<Real>(of, a, b, count(ranges), {sums.first, sums.stride}, c);
}

}  // namespace

int64_t count(std::span<const Range> ranges) {
  int64_t n = 0;
  for (const Range& r : ranges) n += r.count();
  return n;
}

void sum_terms(Part a, Part b, std::span<const Range> ranges, Target c) {
  if (ranges.size() == 1) return matrix_product(view(a, ranges[0].first), view(b, ranges[0].first), ranges[0].count(), c);
  product_of(a, b, ranges, c, [](double x, double) { return x; });
}

void sum_above(Of of, Part a, Part b, std::span<const Range> ranges, Target c) {
  if (!fits_floats(of, a, b, count(ranges))) {
    if (of == Of::magnitudes) return sum_above(of, a, b, ranges, c, c, [](double x, double) { return std::fabs(x); });
    return sum_above(of, a, b, ranges, c, c, [](double x, double) { return x * x; });
  }
  const auto sums = std::make_unique_for_overwrite<float[]>(size_t(a.rows.count() * b.rows.count()));
  const TargetOf<float> target{sums.get(), b.rows.count()};
  if (of == Of::magnitudes) return sum_above(of, a, b, ranges, target, c, [](double x, double scale) { return std::fabs(x) * scale; });
  sum_above(of, a, b, ranges, target, c, [](double x, double scale) { return x * scale * (x * scale); });
}

}  // namespace assay::product
