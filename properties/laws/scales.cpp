// Multiplying rows of x (or their scales) by powers of two multiplies the rows of y, bit for bit, as long as nothing becomes subnormal or
// overflows on the way: binary floating point does not see the factor. Fixed-point shortcuts, absolute thresholds and added constants do.
#include "properties/laws/product.hpp"

namespace assay {
namespace {

/// Only upwards: what was normal stays normal.
double factor(int64_t row) { return std::ldexp(1.0, int(row % 4) + 1); }

/// Whether a row keeps its bits' pattern when scaled: normal or zero before, finite after.
bool scales_exactly(const Tensor& x, int64_t row, int64_t column, double by) {
  const double v = x.value(row, column), scaled = v * by;
  return v == 0 || (std::fabs(v) >= info(x.spec.format).min_normal && std::fabs(scaled) <= info(x.spec.format).max_finite);
}

/// FP16 accumulators and parts have subnormals within reach of ordinary data: rounding there is not relative. Sums of integers and on
/// CUDA cores declare none of these.
bool accumulates_in_fp32(const Subject& subject, const Case& c) {
  const Arithmetic arithmetic = subject.arithmetic(c.parameters);
  const Dot* dot = arithmetic.dot_if_any("dot");
  return !dot || (dot->instruction.rounding != Rounding::fp16_to_nearest && dot->combination.part == Format::fp32 && dot->combination.sum == Format::fp32);
}

/// What a result must be when its row is scaled: nothing to say of one that was subnormal or may saturate. A zero stays one, or brings to
/// light what had underflowed: at most half the smallest subnormal before, and `by` times as much now.
std::optional<double> scaled_result(Format format, double before, double now, double by) {
  const FormatInfo& f = info(format);
  if (before == 0) return std::fabs(now) <= by * f.min_subnormal / 2 ? now : 0;
  if (std::fabs(before) < f.min_normal || std::fabs(before * by) > f.max_finite / 2) return {};
  return before * by;
}

Verdict check(Bench& bench, const Subject& subject, const Case& c) {
  const MatrixProduct& p = *c.definition().product;
  const int64_t m = c.parameters.whole("m");
  Tensors operands = bench.operands(c);
  Tensor& x = tensor(operands, p.scaled);
  const auto along = std::ranges::find(p.m, p.scaled, &MatrixProduct::Along::tensor);   // scales of tokens lie in one row, or one row a group
  const bool by_column = along != p.m.end() && along->dimension == 1;
  if (product::length(x, by_column) != m) return skipped(fmt::format("'{}' is shared by all rows", p.scaled));
  std::vector<bool> exact(size_t(m), true);
  for (int64_t row = 0; row < x.spec.rows(); row++)
    for (int64_t column = 0; column < x.spec.width(); column++) {
      const int64_t of = by_column ? column : row;
      if (scales_exactly(x, row, column, factor(of))) x.set_code(row, column, encode(x.spec.format, x.value(row, column) * factor(of)));
      else exact[size_t(of)] = false;
    }
  const Run& straight = bench.run(subject, c);
  const Run scaled = bench.run_on(subject, c, operands);
  for (const Run* run : {&straight, &scaled})
    if (!run->error.empty()) return failed(run->error);
  const Tensor &y = tensor(straight.outputs, p.y), &other = tensor(scaled.outputs, p.y);
  return product::compared(
      scaled, p.y,
      [&](int64_t row, int64_t column) -> std::optional<double> {
        if (!exact[size_t(row)]) return {};
        return scaled_result(y.spec.format, y.value(row, column), other.value(row, column), factor(row));
      },
      [&](int64_t row, int64_t column, double found, double wanted) {
        return fmt::format("is {}; with row {} of {} times {} it is {}, not {}", y.value(row, column), row, p.scaled, factor(row), found,
                           wanted);
      });
}

const Registered<Law> registered{{
    .name = "scales",
    .claim = "rows of x times powers of two give rows of y times the same, bit for bit",
    .applies = [](const Subject& s, const Case& c) {
      return s.repeatable && product::applies(c) && product::is_homogeneous(c) && c.fill == Fill::normal && accumulates_in_fp32(s, c);
    },
    .check = check,
}};

}  // namespace
}  // namespace assay
