// residual := x + residual;  x := residual / sqrt(mean(residual^2) + eps) * weight.   (Zhang and Sennrich 2019, with the residual add of
// a pre-norm decoder layer fused in front.) The second step is judged on the residual that the kernel itself wrote.
//
// Degenerate rows follow IEEE 754 through the formula: a NaN makes its whole row NaN; an infinity makes the scale 0, so finite elements
// become 0 and infinite ones NaN; an all-zero row with eps = 0 gives 0 * infinity = NaN.
#include <cfloat>
#include <cmath>

#include "oracles/arithmetic/wide.hpp"
#include "oracles/assumed.hpp"
#include "oracles/contract.hpp"
#include "oracles/arithmetic/grid.hpp"

namespace assay {
namespace {

std::vector<TensorSpec> tensors(const Parameters& p) {
  const int64_t rows = p.whole("rows"), d = p.whole("d"), offset = p.whole("offset");
  const TensorSpec rowed{.offset = offset, .reduction = d};
  auto x = rows_of(rowed, rows, d, p.whole("x_pad")), residual = rows_of(rowed, rows, d, p.whole("residual_pad"));
  auto weight = rows_of({.meaning = Meaning::weight, .huge = 0x1p20, .tiny = 0x1p-20}, 1, d);
  x.name = "x", residual.name = "residual", weight.name = "weight";
  x.role = residual.role = Role::inout;
  return {x, residual, weight};
}

// ---- step 1: the residual, one rounding of an exact sum

Oracle residual(const Problem& problem) {
  const Tensor &x = tensor(problem.before, "x"), &r = tensor(problem.before, "residual");
  auto expect = [&x, &r](int64_t row, std::span<const int64_t> columns, std::span<Expected> out) {
    for (size_t i = 0; i < columns.size(); i++) {
      const double a = x.value(row, columns[i]), b = r.value(row, columns[i]), sum = a + b;
      out[i] = {.value = sum, .radius = std::isfinite(sum) ? sum_residue(a, b, sum) : 0};
    }
  };
  auto decide = [&x, &r](int64_t row, int64_t column) {
    return decided(exactly(Wide(x.value(row, column)) + Wide(r.value(row, column))));
  };
  return {by_row(expect), decide};
}

// ---- step 2: the normalised row

template <class Real>
Tracked<Real> reciprocal_rms(const std::vector<double>& h, double eps, const Arithmetic& arithmetic) {
  Tracked<Real> sum = exactly(Real(0));
  double grid = INFINITY;
  for (double v : h) {
    sum.value += Real(v) * Real(v);
    grid = std::min(grid, v == 0 ? INFINITY : lowest_bit(v) * lowest_bit(v));
  }
  const double squares = magnitude(sum.value);
  sum.radius = double(h.size()) * kOracleRoundoff<Real> * squares;   // all terms positive
  sum = apply(arithmetic, arithmetic.sum("sum"), sum, reach(sum), squares == 0 ? 1 : grid, int64_t(h.size()));
  const auto mean = apply(arithmetic, arithmetic.ops("mean"), sum / exactly(Real(double(h.size()))));
  const auto shifted = apply(arithmetic, arithmetic.ops("epsilon"), mean + exactly(Real(eps)));
  return apply(arithmetic, arithmetic.fn("rsqrt"), shifted, reciprocal_sqrt(shifted));
}

template <class Real>
Tracked<Real> normalised_element(double h, double weight, const Tracked<Real>& rms, const Arithmetic& arithmetic) {
  const auto scaled = apply(arithmetic, arithmetic.ops("normalise"), exactly(Real(h)) * rms);
  return apply(arithmetic, arithmetic.ops("weight"), scaled * exactly(Real(weight)));
}

/// What the whole row has in common.
struct Row {
  std::vector<double> h;
  bool ordinary = true;   // finite, and the scale is finite and positive
  double scale = 0;       // where it is not ordinary
  Tracked<double> rms;
};

Row examine(const Tensor& residual, int64_t index, double eps, const Arithmetic& arithmetic) {
  Row row{.h = residual.row(index)};
  double squares = 0;
  for (double v : row.h) squares += v * v;
  row.ordinary = std::isfinite(squares) && squares + eps > 0;
  if (row.ordinary) row.rms = reciprocal_rms<double>(row.h, eps, arithmetic);
  row.scale = 1 / std::sqrt(squares + eps);   // 0, infinity or NaN
  return row;
}

Oracle normalised(const Problem& problem) {
  const Tensor& residual = tensor(problem.after, "residual");
  const Arithmetic& arithmetic = problem.arithmetic;
  const double eps = static_cast<float>(problem.parameters.real("eps"));   // the operand is FP32
  const std::vector<double> weight = tensor(problem.before, "weight").row(0);
  auto expect = [&residual, &arithmetic, eps, weight](int64_t index, std::span<const int64_t> columns, std::span<Expected> out) {
    const Row row = examine(residual, index, eps, arithmetic);
    const bool inside = !row.ordinary || (std::isfinite(row.rms.bound.total()) && 1 / (row.rms.value * row.rms.value) * double(row.h.size()) < FLT_MAX);
    for (size_t i = 0; i < columns.size(); i++) {
      const double h = row.h[size_t(columns[i])], w = weight[size_t(columns[i])];
      if (!row.ordinary || !std::isfinite(w)) {
        const double scaled = h * (row.ordinary ? row.rms.value : row.scale);   // a non-zero one that underflows meets infinity as a zero
        out[i] = {.value = scaled * w, .inside = inside && !(std::isinf(w) && scaled != 0 && std::fabs(scaled) < FLT_MIN)};
      } else {
        out[i] = expected(normalised_element(h, w, row.rms, arithmetic));
        out[i].inside = inside;
      }
    }
  };
  auto decide = [&residual, &arithmetic, eps, weight](int64_t index, int64_t column) {
    const std::vector<double> h = residual.row(index);
    return decided(normalised_element(h[size_t(column)], weight[size_t(column)], reciprocal_rms<Wide>(h, eps, arithmetic), arithmetic));
  };
  return {by_row(expect), decide};
}

// Rows whose mean square is a power of four: with d = q 2^s and q odd, q or 2q elements of equal magnitude, the last column among them.
// The sum is exact, its reciprocal root a power of two, and with a weight as given the exact result lies in the middle of its rounding
// interval, so that only one value is legal.
void exact_contents(const Parameters& p, const RandomBits& random, Tensors& all) {
  const int64_t rows = p.whole("rows"), d = p.whole("d");
  if (d == 0) return;
  int64_t odd = d, twos = 0;
  while (odd % 2 == 0) odd /= 2, twos++;
  const int64_t count = twos % 2 == 0 ? odd : 2 * odd;
  Tensor &x = tensor(all, "x"), &residual = tensor(all, "residual");
  for (int64_t row = 0; row < rows; row++) {
    const double size = std::ldexp(1.0, int(random(100, uint64_t(row)) % 5) - 2);
    const int64_t stride = d / count;   // a power of two: every (stride)th column, ending in the last
    for (int64_t column = 0; column < d; column++) {
      const bool set = (d - 1 - column) % stride == 0;
      const uint64_t bits = random(101, uint64_t(row * d + column));
      const double h = set ? (bits & 1 ? size : -size) : 0, part = bits & 2 ? h / 2 : h;
      x.set_code(row, column, encode(Format::bf16, part));
      residual.set_code(row, column, encode(Format::bf16, h - part));
    }
  }
}

Contract contract() {
  return {
      .name = "fused_add_rms_norm",
      .formula = "residual = bf16(x + residual); x = bf16(residual / sqrt(mean(residual^2) + eps) * weight)",
      .parameters = {whole("rows", 0, 2147483647, 1, "tokens"),
                     whole("d", 0, (1 << 24) - 1, 8, "hidden size"),
                     real("eps", 0, 1, 1e-6, "added to the mean square"),
                     whole("x_pad", 0, 65536, 0, "elements between rows of x"),
                     whole("residual_pad", 0, 65536, 0, "elements between rows of residual"),
                     whole("offset", 0, 127, 0, "elements by which x and residual miss a 256-byte boundary")},
      .tensors = tensors,
      .from_shapes = {{"rows", "x", 0}, {"d", "x", 1}, {"rows", "residual", 0}, {"d", "residual", 1}, {"d", "weight", 1}},
      .steps = {{.name = "residual", .tensor = "residual", .prepare = residual},
                {.name = "normalised", .tensor = "x", .prepare = normalised}},
      .work =
          [](const Parameters& p) {
            const double n = double(p.whole("rows")) * double(p.whole("d"));
            return Work{.bytes = 8 * n + 2 * double(p.whole("d")), .flops = 5 * n, .multiply_adds = 3 * n};
          },
      .exact_contents = exact_contents,
      .alike =
          [](const Parameters& p) {
            return std::vector<Alike>{{"rows", p.whole("rows"), {{"x", p.whole("d")}, {"residual", p.whole("d")}}}};
          },
      .switches = {"eps"},
      .slots =
          [](const Parameters& p) {
            return std::vector<Slot>{{"sum", assumed::sum(p.whole("d"))}, {"mean", assumed::quotient()}, {"epsilon", Ops{}},
                                     {"rsqrt", assumed::rsqrt()}, {"normalise", assumed::first_of_two_products()}, {"weight", Ops{}}};
          },
  };
}

const Registered<Contract> registered{contract()};

}  // namespace
}  // namespace assay
