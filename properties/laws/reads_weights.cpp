// Rows of x that are one in one place and zero elsewhere read the dequantised weight out: y[m][n] is the weight at (k of row m, n), rounded
// once. No sum hides a wrong code, zero point, scale, group or permutation here.
#include "properties/laws/product.hpp"

namespace assay {
namespace {

/// Which k a row reads: row 0 any, so that cases of a single row meet all of them; rows 1 and 2 the first and the last, where kernels have
/// their tails; further rows all over the range.
int64_t place(int64_t row, int64_t k, uint64_t seed) {
  if (row == 0) return int64_t(seed % uint64_t(k));
  if (row < 3) return row == 1 ? 0 : k - 1;
  return int64_t((uint64_t(row) * 0x9E3779B97F4A7C15u + seed) % uint64_t(k));
}

/// A weight read out is rounded once, and one value is legal; but FP8 products scale it in FP32 first. At most three roundings (two scales
/// and a bias) of 2^-24 each way reach over a midpoint of FP16, whose values are 2^-11 apart or more, for 6 * 2^-24 / 2^-11 < 0.1 % of the
/// elements. Where ten times as many have a second legal value the bound is not that of a readout.
constexpr double kMostAmbiguous = 0.01;

Verdict check(Bench& bench, const Subject& subject, const Case& c) {
  const MatrixProduct& p = *c.definition().product;
  Tensors operands = bench.operands(c);
  Tensor& x = tensor(operands, p.x);
  const uint64_t zero = encode(x.spec.format, 0.0), one = encode(x.spec.format, 1.0);
  for (int64_t row = 0; row < x.spec.rows(); row++)
    for (int64_t column = 0; column < x.spec.width(); column++) x.set_code(row, column, column == place(row, x.spec.width(), c.seed) ? one : zero);
  x.random_signs = false;
  const Verdict verdict = bench.judged_on(subject, c, operands);
  const uint64_t judged = verdict.tally.judged, ambiguous = judged - verdict.tally.single_legal;
  if (verdict.outcome == Outcome::pass && double(ambiguous) > kMostAmbiguous * double(judged))
    return untrusted(fmt::format("{} of {} weights have more than one legal reading", ambiguous, judged));
  return verdict;
}

const Registered<Law> registered{{
    .name = "reads_weights",
    .claim = "one-hot rows of x read out the dequantised weights, rounded once",
    .applies = [](const Subject&, const Case& c) { return product::applies(c) && (c.fill == Fill::normal || c.fill == Fill::codes); },
    .check = check,
}};

}  // namespace
}  // namespace assay
