// y[m][n] = sum_k x[m][k] * scale[n][k / group] * (q[n][k] - 8), with the article's INT4 packing: word w of row n holds k = 8w .. 8w+7.
//
// The scale is the BF16 value that the kernel reads. A reference dequantised with the FP32 scale it was rounded from is another matrix, by
// up to 2^-8 relative: that difference is quantisation error and never part of a tolerance.
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>

#include "oracles/arithmetic/wide.hpp"
#include "oracles/assumed.hpp"
#include "oracles/contract.hpp"
#include "oracles/arithmetic/grid.hpp"
#include "oracles/packings/article.hpp"

namespace assay {
namespace {

std::vector<TensorSpec> tensors(const Parameters& p) {
  const int64_t m = p.whole("m"), n = p.whole("n"), k = p.whole("k"), offset = p.whole("offset");
  auto x = rows_of({.name = "x", .offset = offset, .reduction = k}, m, k, p.whole("x_pad"));
  auto w = rows_of({.name = "w", .format = Format::int32, .meaning = Meaning::packed_int4, .offset = p.whole("w_offset")}, n, k / 8, p.whole("w_pad"));
  auto scale = rows_of({.name = "scale", .meaning = Meaning::scale, .huge = 0x1p20, .tiny = 0x1p-20}, n, k / p.whole("group"), p.whole("scale_pad"));
  auto y = rows_of({.name = "y", .role = Role::output, .offset = offset}, m, n, p.whole("y_pad"));
  return {x, w, scale, y};
}

/// One row of x, and what its groups lie on.
struct Activations {
  std::vector<double> x;
  std::vector<double> grid;   // per group: the largest power of two that divides its elements, infinity for zeros
};

Activations activations(const Tensor& x, int64_t row, int64_t group) {
  Activations a{x.row(row), {}};
  for (size_t first = 0; first < a.x.size(); first += size_t(group)) {
    double grid = INFINITY;
    for (size_t k = first; k < first + size_t(group); k++)
      if (a.x[k] != 0 && std::isfinite(a.x[k])) grid = std::min(grid, lowest_bit(a.x[k]));
    a.grid.push_back(grid);
  }
  return a;
}

/// The sum of the terms x * scale * (q - 8), each of which (8 + 8 + 4 bits) is exact in FP64, and what decides how it may be rounded.
template <class Real>
struct Dot {
  Real sum{0};
  double magnitude = 0, largest_partial = 0;   // of the finite terms, with their scales and, by group, without
  double grid = INFINITY;                      // the largest power of two that divides every finite term
  bool infinite_scale = false;
};

std::vector<uint8_t> codes_of(const Tensor& w, int64_t n) {
  std::vector<int32_t> words(size_t(w.spec.width()));
  std::memcpy(words.data(), w.row_data(n), words.size() * sizeof(int32_t));
  return unpacked(article_codes(8 * w.spec.width(), 1), words);
}

template <class Real>
Dot<Real> dot(const Activations& a, const Tensor& w, const Tensor& scale, int64_t group, int64_t n) {
  Dot<Real> dot;
  const std::vector<uint8_t> codes = codes_of(w, n);
  for (size_t g = 0; g < a.grid.size(); g++) {
    const double s = scale.value(n, int64_t(g));
    Real partial{0};
    double magnitude = 0;
    for (size_t k = g * size_t(group); k < (g + 1) * size_t(group); k++) {
      const double product = a.x[k] * (codes[k] - 8);   // u4b8: 8 + 4 bits, exact
      partial += Real(product * s);
      if (std::isfinite(product)) magnitude += std::fabs(product);
    }
    dot.sum += partial;
    dot.largest_partial = std::max(dot.largest_partial, magnitude);
    dot.infinite_scale |= std::isinf(s);
    if (!std::isfinite(s) || s == 0) continue;
    dot.magnitude += magnitude * std::fabs(s);
    dot.grid = std::min(dot.grid, a.grid[g] * lowest_bit(s));
  }
  return dot;
}

template <class Real>
Tracked<Real> output(const Dot<Real>& dot, int64_t k, const Arithmetic& arithmetic) {
  const double magnitude = dot.magnitude * (1 + double(k) * 0x1p-52);   // sum of magnitudes, rounded up
  Tracked<Real> y = exactly(dot.sum);
  if (magnitude > 0x1p53 * dot.grid) y.radius = double(k) * kOracleRoundoff<Real> * magnitude;
  return apply(arithmetic, arithmetic.sum("dot"), y, magnitude, magnitude == 0 ? 1 : dot.grid, k);
}

Oracle oracle(const Problem& problem) {
  const Tensor &x = tensor(problem.before, "x"), &w = tensor(problem.before, "w"), &scale = tensor(problem.before, "scale");
  const Arithmetic& arithmetic = problem.arithmetic;
  const int64_t group = problem.parameters.whole("group"), k = problem.parameters.whole("k");
  auto expect = [&x, &w, &scale, &arithmetic, group, k](int64_t row, std::span<const int64_t> columns, std::span<Expected> out) {
    const Activations a = activations(x, row, group);
    for (size_t i = 0; i < columns.size(); i++) {
      const auto d = dot<double>(a, w, scale, group, columns[i]);
      out[i] = std::isfinite(d.sum) ? expected(output(d, k, arithmetic)) : Expected{.value = d.sum};
      out[i].magnitude = d.magnitude;
      // h levels of a tree, in each of which roundings of at most u times their partial sum lie anywhere: h (u sum|t|)^2 / 3 together.
      const Sum& sum = arithmetic.sum("dot");
      out[i].spread = growth(sum.accumulator, 1) * d.magnitude * std::sqrt(double(sum.depth) / 3);
      // An infinite scale gives NaN or infinity, as it meets single terms or their sum; finite terms must not overflow on the way.
      out[i].inside = !d.infinite_scale && std::max(d.magnitude, d.largest_partial) < FLT_MAX;
    }
  };
  auto decide = [&x, &w, &scale, &arithmetic, group, k](int64_t row, int64_t column) {
    return decided(output(dot<Wide>(activations(x, row, group), w, scale, group, column), k, arithmetic));
  };
  return {by_row(expect), decide};
}

std::optional<std::string> refuses(const Parameters& p) {
  const int64_t k = p.whole("k"), group = p.whole("group"), n = p.whole("n"), m = p.whole("m");
  const std::string k_text = "k=" + std::to_string(k), group_text = "group=" + std::to_string(group);
  if (k % 8) return k_text + ": eight codes share a word, so k must be a multiple of 8";
  if (group % 8) return group_text + ": a word must not straddle groups, so group must be a multiple of 8";
  if (k % group) return group_text + " does not divide " + k_text;
  if (double(n) * double(k) > 0x1p40 || double(m) * double(std::max(k, n)) > 0x1p40)
    return "m=" + std::to_string(m) + " n=" + std::to_string(n) + " " + k_text + ": more than 2^40 elements in a tensor";
  return {};
}

Contract contract() {
  return {
      .name = "w4a16_gemv",
      .formula = "y[m][n] = bf16(sum_k x[m][k] * scale[n][k/group] * (q[n][k] - 8))",
      .parameters = {whole("m", 0, 1 << 24, 1, "rows of x: tokens"),
                     whole("n", 0, 1 << 24, 1, "rows of w: output features"),
                     whole("k", 8, 1 << 24, 8, "columns: input features"),
                     whole("group", 8, 1 << 24, 8, "elements of k that share a scale"),
                     whole("x_pad", 0, 65536, 0, "elements between rows of x"),
                     whole("y_pad", 0, 65536, 0, "elements between rows of y"),
                     whole("w_pad", 0, 65536, 0, "words between rows of w"),
                     whole("scale_pad", 0, 65536, 0, "elements between rows of scale"),
                     whole("offset", 0, 127, 0, "elements by which x and y miss a 256-byte boundary"),
                     whole("w_offset", 0, 63, 0, "words by which w misses a 256-byte boundary")},
      .refuses = refuses,
      .tensors = tensors,
      .from_shapes = {{"m", "x", 0}, {"k", "x", 1}, {"k", "w", 1, times(8)}, {"n", "w", 0}, {"n", "scale", 0},
                      {"group", "scale", 1, parts_of("k")}},
      .steps = {{.name = "product", .tensor = "y", .prepare = oracle}},
      .work =
          [](const Parameters& p) {
            const double m = double(p.whole("m")), n = double(p.whole("n")), k = double(p.whole("k"));
            const double weights = n * k * (0.5 + 2.0 / double(p.whole("group")));
            return Work{.bytes = weights + 2 * m * (k + n), .flops = 2 * m * n * k, .multiply_adds = m * n * k};
          },
      .product = MatrixProduct{.n = {{"w", 0}, {"scale", 0}}},
      .slots = // the scale may meet terms, or the sum of a group: one rounding more
      [](const Parameters& p) { return std::vector<Slot>{{"dot", assumed::sum(p.whole("k") + 1)}}; },
  };
}

const Registered<Contract> registered{contract()};

}  // namespace
}  // namespace assay
