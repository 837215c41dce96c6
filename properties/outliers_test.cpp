// What one outlier does to FP8, measured through the kernels: with one scale for a tensor it takes the resolution of every other token, with
// a scale for each token only its own. Both errors are what the quantiser's steps predict, and so is their ratio.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fixtures/bench/bench.hpp"
#include "fixtures/fill/fill.hpp"

namespace assay {
namespace {

constexpr int64_t kTokens = 33, kColumns = 64, kDepth = 512;

struct Quantised {
  Tensor codes, scale;
};

/// Ordinary activations of variance 1/256, but for one value in the first row: 500,000 times their size, where E4M3 spans 2^18 down to its
/// smallest subnormal.
Tensor activations(const TensorSpec& spec) {
  Tensor x = filled(spec, Fill::normal, 7);
  for (int64_t m = 0; m < kTokens; m++)
    for (int64_t k = 0; k < kDepth; k++) x.set_code(m, k, encode(spec.format, x.value(m, k) / 16));
  x.set_code(0, 5, encode(spec.format, 30000.0));
  return x;
}

Quantised quantised(Bench& bench, const std::string& contract) {
  const Case c = parse_case(fmt::format("{} rows={} d={} dtype=bf16 fill=normal seed=7", contract, kTokens, kDepth));
  Tensors operands = make_tensors(c);
  tensor(operands, "x") = activations(tensor(operands, "x").spec);
  const Run run = bench.run_on(*find<Subject>(contract), c, operands);
  EXPECT_EQ(run.error, "");
  return {tensor(run.outputs, "y"), tensor(run.outputs, "scale")};
}

double scale_of(const Tensor& scale, int64_t token) { return scale.spec.elements() == 1 ? scale.value(0, 0) : scale.spec.rows() == 1 ? scale.value(0, token) : scale.value(token, 0); }

/// Root mean squares over all tokens but the first.
struct Errors {
  double seen = 0, predicted = 0, product = 0;
};

/// The product of the quantised activations beside the product of the activations.
Errors errors(Bench& bench, const std::string& scheme, const std::string& granularity) {
  const Quantised q = quantised(bench, scheme);
  const Case c = parse_case(fmt::format("fp8_scaled_gemm m={} n={} k={} dtype=bf16 a_scale={} b_scale=per_tensor fill=normal seed=7", kTokens, kColumns, kDepth, granularity));
  Tensors operands = make_tensors(c);
  Tensor &a = tensor(operands, "a"), &a_scale = tensor(operands, "a_scale");
  tensor(operands, "b_scale").set_code(0, 0, encode(Format::fp32, 1.0));
  for (int64_t m = 0; m < kTokens; m++) {
    for (int64_t k = 0; k < kDepth; k++) a.set_code(m, k, q.codes.code(m, k));
    if (granularity == "per_token" || m == 0) a_scale.set_code(0, m, encode(Format::fp32, scale_of(q.scale, m)));
  }
  const Run run = bench.run_on(*find<Subject>("fp8_scaled_gemm_promoted"), c, operands);
  EXPECT_EQ(run.error, "");
  const Tensor x = activations(rows_of({.name = "x"}, kTokens, kDepth));
  const Tensor &b = tensor(operands, "b"), &y = tensor(run.outputs, "y");
  Errors e;
  for (int64_t m = 1; m < kTokens; m++) {
    const double s = scale_of(q.scale, m);
    for (int64_t n = 0; n < kColumns; n++) {
      double exact = 0, variance = 0;
      for (int64_t k = 0; k < kDepth; k++) {
        const double value = x.value(m, k), w = b.value(n, k), step = s * ulp(Format::e4m3fn, value / s);
        exact += value * w;
        // an error uniform over a step, or the value itself where it is rounded to zero
        variance += w * w * (std::fabs(value) < step / 2 ? value * value : step * step / 12);
      }
      e.seen += std::pow(y.value(m, n) - exact, 2), e.predicted += variance, e.product += exact * exact;
    }
  }
  const double count = double((kTokens - 1) * kColumns);
  return {std::sqrt(e.seen / count), std::sqrt(e.predicted / count), std::sqrt(e.product / count)};
}

TEST(Outliers, CostAllTokensTheirResolutionWithOneScaleAndOneTokenWithItsOwn) {
  Bench bench(BenchSettings{});
  const Errors per_tensor = errors(bench, "fp8_quant_tensor", "per_tensor"), per_token = errors(bench, "fp8_quant_token", "per_token");
  fmt::print("per tensor {:.4f} (predicted {:.4f}), per token {:.4f} (predicted {:.4f}): {:.1f} times (predicted {:.1f})\n", per_tensor.seen, per_tensor.predicted,
             per_token.seen, per_token.predicted, per_tensor.seen / per_token.seen, per_tensor.predicted / per_token.predicted);
  // 2048 outputs of independent data: the root mean square is known to 1 / sqrt(2 * 2048) = 1.6 %; five of those, and as much again for
  // steps that are not quite uniformly filled and for the rounding to BF16
  constexpr double kWithin = 0.16;
  for (const Errors& e : {per_tensor, per_token}) EXPECT_NEAR(e.seen / e.predicted, 1, kWithin);
  // E4M3 has four significant bits: with a scale of its own a token's values are within 2^-4 of what they were. With the outlier's not even
  // one bit is left, which would keep them within 1/4 on the mean.
  EXPECT_LT(per_token.seen, per_token.product / 16);
  EXPECT_GT(per_tensor.seen, per_tensor.product / 4);
}

}  // namespace
}  // namespace assay
