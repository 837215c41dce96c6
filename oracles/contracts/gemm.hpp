// What the contracts of matrix products share: y[m][n] = epilogue(sum_k a[m][k] * b[n][k]), or with scales by groups of k,
// epilogue(sum_g sa[m][g] * sb[n][g] * sum_{k in g} a[m][k] * b[n][k]), evaluated and bounded for blocks of elements.
//
// A contract supplies rows of A and B as exact doubles (dequantised as the implementation declares), the declared main loop, and the
// epilogue, which is written once for FP64 and for 100 digits.
#pragma once
#include <algorithm>
#include <functional>
#include <memory>

#include "oracles/arithmetic/dot_bound.hpp"
#include "oracles/arithmetic/wide.hpp"
#include "oracles/assumed.hpp"
#include "oracles/contract.hpp"
#include "oracles/product/exact.hpp"
#include "oracles/product/tiles.hpp"

namespace assay {

/// Elements of a row of A or B, or its scales by group: fills a span of k (groups) doubles.
using RowOf = std::function<void(int64_t row, std::span<double>)>;

struct Gemm {
  Dot dot;
  int64_t m = 0, n = 0, k = 0;
  RowOf a, b;
  int64_t group = 0;   // elements of k that share scales; 0: none
  RowOf a_scale{}, b_scale{};
  bool random_signs = false;   // the harness drew the signs of A or B (Tensor::random_signs)

  /// Whether sums are cut in an order that is not declared: then nothing says how much of it is lost on average.
  bool loses_unknown_bits() const {
    const bool cuts = dot.instruction.aligned_bits || dot.instruction.rounding == Rounding::fp32_toward_zero ||
                      dot.instruction.rounding == Rounding::e8m13_toward_zero;
    return cuts && dot.chains.empty() && !dot.chains_of;
  }
  /// Whether the path bound speaks: then drift and spread are those of the declared order, within a factor of two (dot_bound.hpp).
  bool is_in_order() const { return !dot.chains.empty() || dot.chains_of; }
  int64_t groups() const { return group ? (k + group - 1) / group : 0; }
};

/// A tensor's rows as they are, or with element k taken from column perm[k] (`perm`: one row, may be null).
inline RowOf rows_of_tensor(const Tensor& t, const Tensor* perm = nullptr) {
  if (!perm) return [&t](int64_t row, std::span<double> out) { std::ranges::copy(t.row(row), out.begin()); };
  std::vector<size_t> source;
  for (int64_t k = 0; k < perm->spec.width(); k++) source.push_back(size_t(perm->code(0, k)));
  return [&t, source](int64_t row, std::span<double> out) {
    const std::vector<double> values = t.row(row);
    for (size_t k = 0; k < out.size(); k++) out[k] = values[source[k]];
  };
}

/// Entry i of a tensor of scales [1][count], or the only one.
inline double scale_at(const Tensor& t, int64_t i) { return t.value(0, t.spec.width() == 1 ? 0 : i); }

/// Work of a product of m, n and k that moves so many bytes.
inline Work product_work(const Parameters& p, double bytes) {
  const double products = double(p.whole("m")) * double(p.whole("n")) * double(p.whole("k"));
  return {.bytes = bytes, .flops = 2 * products, .multiply_adds = products};
}

/// The slots of a product of weights that are materialised in their format, and nothing but rounded after it.
inline std::vector<Slot> slots_of_dequantised_product(Format format) {
  return {{.name = "weight", .assumed = Round{format}, .needed = false}, {"dot", Dot{.instruction = unknown::fp32_sums(format)}}};
}

namespace gemm {

inline std::vector<double> filled(const RowOf& rows, int64_t row, int64_t count) {
  std::vector<double> values(static_cast<size_t>(count));
  if (count) rows(row, values);
  return values;
}

inline DotRow row(const Gemm& g, int64_t m) { return {filled(g.a, m, g.k), filled(g.a_scale, m, g.groups()), g.dot.instruction}; }

inline DotPanel panel(const Gemm& g, std::span<const int64_t> columns) {
  std::vector<std::vector<double>> b, scale;
  for (int64_t n : columns) {
    b.push_back(filled(g.b, n, g.k));
    if (g.group) scale.push_back(filled(g.b_scale, n, g.groups()));
  }
  return {b, scale, g.dot.instruction};
}

/// One row times the panel of these columns, each element by the chains that are its own.
inline void bounds(const Gemm& g, int64_t m, const DotRow& row, std::span<const int64_t> columns, const DotPanel& panel,
                   std::array<DotResult, kPanelColumns>& results) {
  if (!g.dot.chains_of) return bound_dots(g.dot, row, panel, g.group, g.random_signs, results);
  std::array<bool, kPanelColumns> done{};
  for (size_t c = 0; c < columns.size(); c++) {
    if (done[c]) continue;
    const Dot dot = g.dot.at(m, columns[c]);
    std::array<DotResult, kPanelColumns> all;
    bound_dots(dot, row, panel, g.group, g.random_signs, all);
    for (size_t i = c; i < columns.size(); i++)
      if (!done[i] && (i == c || g.dot.chains_of(m, columns[i]) == dot.chains)) results[i] = all[i], done[i] = true;
  }
}

/// The exact sum of finite operands: whole where there are no scales (product/exact.hpp), to 100 digits where there are.
inline Wide exact_sum(const DotRow& row, const DotPanel& panel, int64_t group) {
  std::vector<double> b;
  for (size_t k = 0; k < row.a.size(); k++) b.push_back(panel.b[k * kPanelColumns]);
  if (!group) return product::exact_dot(row.a, b);
  Wide total = 0;
  for (size_t first = 0, g = 0; first < b.size(); first += size_t(group), g++) {
    const size_t length = std::min(size_t(group), b.size() - first);
    const Wide partial = product::exact_dot(std::span(row.a).subspan(first, length), std::span(b).subspan(first, length));
    total += partial * Wide(row.scale[g]) * Wide(panel.scale[g * kPanelColumns]);
  }
  return total;
}

template <class Real>
Tracked<Real> tracked(Real value, double radius, const Bound& bound) {
  return {std::move(value), radius, bound};
}

}  // namespace gemm

/// `epilogue(row, column, Tracked<Real>)` for Real = double and Wide; `inside(row, column)` (may be null) adds to the domain, which without
/// it is that no accumulator can overflow.
template <class Epilogue>
Oracle gemm_oracle(Gemm product, Epilogue epilogue, std::function<bool(int64_t row, int64_t column)> inside = {}) {
  auto shared = std::make_shared<const Gemm>(std::move(product));
  auto deviation = [epilogue](int64_t row, int64_t column, const DotResult& r, double value) {
    if (r.variance == 0) return 0.0;
    return std::fabs(epilogue(row, column, gemm::tracked(r.value + std::sqrt(r.variance), r.radius, {})).value - value);
  };
  auto expect = [shared, epilogue, inside, deviation](std::span<const int64_t> rows, std::span<const int64_t> columns, std::span<Expected> out) {
    std::vector<DotRow> a;
    for (int64_t m : rows) a.push_back(gemm::row(*shared, m));
    std::array<DotResult, kPanelColumns> results;
    for (size_t first = 0; first < columns.size(); first += kPanelColumns) {
      const auto some = columns.subspan(first, std::min<size_t>(kPanelColumns, columns.size() - first));
      const DotPanel panel = gemm::panel(*shared, some);
      for (size_t i = 0; i < rows.size(); i++) {
        gemm::bounds(*shared, rows[i], a[i], some, panel, results);
        for (size_t c = 0; c < some.size(); c++) {
          const DotResult& r = results[c];
          Expected& e = out[i * columns.size() + first + c];
          e = expected(epilogue(rows[i], some[c], gemm::tracked(r.value, r.radius, r.bound)));
          if (r.drift != 0) e.drift = epilogue(rows[i], some[c], gemm::tracked(r.value + r.drift, r.radius, {})).value - e.value;
          e.drifts_unknown = shared->loses_unknown_bits();
          e.within = 2, e.systematic = e.bound.outside_sums();
          if (shared->is_in_order()) e.spread = deviation(rows[i], some[c], r, e.value);
          e.magnitude = std::fabs(epilogue(rows[i], some[c], gemm::tracked(r.magnitude, 0, {})).value);
          e.inside = r.fullness < 1 && (!inside || inside(rows[i], some[c]));
        }
      }
    }
  };
  auto decide = [shared, epilogue](int64_t m, int64_t n) {
    const DotRow a = gemm::row(*shared, m);
    const DotPanel panel = gemm::panel(*shared, {&n, 1});
    std::array<DotResult, kPanelColumns> results;
    gemm::bounds(*shared, m, a, {&n, 1}, panel, results);
    return decided(epilogue(m, n, gemm::tracked<Wide>(gemm::exact_sum(a, panel, shared->group), 0, results[0].bound)));
  };
  auto sweep = [shared, epilogue](int64_t first, int64_t end, int64_t memory, const std::function<void(const Values&)>& visit) {
    if (first == end) return;
    const product::Operand a{shared->m, shared->a, shared->a_scale}, b{shared->n, shared->b, shared->b_scale};
    const product::Plan plan{.width = shared->group, .memory = memory, .columns = {first, end}};
    std::vector<double> value, radius;
    product::for_each_tile(a, b, shared->k, plan, [&](const product::Piece& piece) {
      value.clear(), radius.clear();
      for (int64_t m = piece.rows.first, i = 0; m < piece.rows.end; m++)
        for (int64_t n = piece.columns.first; n < piece.columns.end; n++, i++) {
          const Tracked<double> y = epilogue(m, n, gemm::tracked(piece.tile.value[size_t(i)], piece.tile.radius_at(size_t(i)), {}));
          value.push_back(y.value), radius.push_back(y.radius);
        }
      visit({piece.rows.first, piece.columns.first, piece.tile.rows, piece.tile.columns, value, radius});
    });
  };
  return {expect, decide, sweep};
}

/// `k=100 is not a multiple of 16: ...`
inline std::optional<std::string> not_a_multiple(const Parameters& p, std::string_view name, int64_t of, std::string_view why) {
  const int64_t value = p.whole(name);
  if (value % of == 0) return {};
  return std::string(name) + "=" + std::to_string(value) + " is not a multiple of " + std::to_string(of) + ": " + std::string(why);
}

inline std::optional<std::string> group_does_not_divide(const Parameters& p) {
  if (p.whole("k") % p.whole("group") == 0) return {};
  return "group=" + std::to_string(p.whole("group")) + " does not divide k=" + std::to_string(p.whole("k"));
}

inline std::optional<std::string> too_large(const Parameters& p) {
  const double m = double(p.whole("m")), n = double(p.whole("n")), k = double(p.whole("k"));
  if (m * k <= 0x1p40 && n * k <= 0x1p40 && m * n <= 0x1p40) return {};
  return "m=" + std::to_string(p.whole("m")) + " n=" + std::to_string(p.whole("n")) + " k=" + std::to_string(p.whole("k")) +
         ": more than 2^40 elements in a tensor";
}

}  // namespace assay
