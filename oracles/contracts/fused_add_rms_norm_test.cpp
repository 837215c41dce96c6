#include <cfloat>
#include <cmath>

#include "oracles/contracts/test_contract.hpp"

namespace assay {
namespace {

constexpr size_t kResidual = 0, kNormalised = 1;

Arithmetic declared(int64_t depth = 64, Fn rsqrt = gpu::rsqrtf(), int each = 1) {
  return Arithmetic().with("sum", Sum{.depth = depth}).with("mean", Ops{.count = each}).with("epsilon", Ops{.count = each})
      .with("rsqrt", std::move(rsqrt)).with("normalise", Ops{.count = each}).with("weight", Ops{.count = each});
}

Posed posed(const std::vector<double>& h, const std::vector<double>& weight, double eps, const Arithmetic& a = declared()) {
  Posed p("fused_add_rms_norm", {{"d", int64_t(h.size())}, {"eps", eps}}, a);
  for (size_t i = 0; i < h.size(); i++) p.set("residual", 0, int64_t(i), h[i]), p.set("weight", 0, int64_t(i), weight[i]);
  return p;
}

std::vector<double> drawn(Random& random, size_t n, int low, int high) {
  std::vector<double> values(n);
  for (double& x : values) x = random.bf16(low, high);
  return values;
}

TEST(FusedAddRmsNorm, TheResidualIsTheExactSum) {
  Random random(1);
  Posed p("fused_add_rms_norm", {{"rows", int64_t{2}}, {"d", int64_t{50}}, {"x_pad", int64_t{3}}, {"residual_pad", int64_t{1}}}, declared());
  for (int64_t row = 0; row < 2; row++)
    for (int64_t column = 0; column < 50; column++) {
      const double a = random.bf16(-60, 60), b = random.bf16(-60, 60);
      p.set("x", row, column, a), p.set("residual", row, column, b);
      expect_agreement(p, row, column, Wide(a) + Wide(b), kResidual);
      EXPECT_EQ(p.expected(row, column, kResidual).bound.total(), 0);
    }
}

TEST(FusedAddRmsNorm, ComputesItsFormulaOnTheResidualThatTheKernelWrote) {
  Random random(2);
  for (size_t d : {1u, 2u, 7u, 33u}) {
    const std::vector<double> h = drawn(random, d, -4, 4), weight = drawn(random, d, -2, 2);
    Posed p = posed(h, weight, 1e-5);
    Wide squares = 0;
    for (double x : h) squares += Wide(x) * x;
    const Wide root = sqrt(Wide(squares / Wide(double(d)) + Wide(double(1e-5f))));
    for (Tensor& t : p.before)
      if (t.spec.name == "residual") t = make_tensor(t.spec);
    for (size_t i = 0; i < d; i++) expect_agreement(p, 0, int64_t(i), Wide(h[i]) / root * Wide(weight[i]), kNormalised);
  }
}

float implementation(const std::vector<double>& h, double weight, size_t column, float eps, Random& random) {
  std::vector<float> sums;
  for (double x : h) sums.push_back(float(x) * float(x));
  while (sums.size() > 1) {
    std::swap(sums[size_t(random.below(int(sums.size())))], sums.back());
    const float last = sums.back();
    sums.pop_back();
    sums[size_t(random.below(int(sums.size())))] += last;
  }
  const float shifted = sums.front() / float(h.size()) + eps;
  const float scale = approximated(1 / std::sqrt(double(shifted)), gpu::rsqrtf().relative, random);
  return float(h[column]) * scale * float(weight);
}

int violations(const Arithmetic& a, int tries, int low = -6, int high = 6) {
  Random random(3);
  int found = 0;
  for (int i = 0; i < tries; i++) {
    const std::vector<double> h = drawn(random, size_t(1 + random.below(64)), low, high), weight = drawn(random, h.size(), -3, 3);
    const float eps = random.coin() ? 0.0f : 1e-6f;
    const size_t column = size_t(random.below(int(h.size())));
    const Expected want = posed(h, weight, eps, a).expected(0, int64_t(column), kNormalised);
    found += want.inside && !allows(want, implementation(h, weight[column], column, eps, random));
  }
  return found;
}

TEST(FusedAddRmsNorm, FloatImplementationsStayInsideTheBound) {
  EXPECT_EQ(violations(declared(), 10000), 0);
  EXPECT_EQ(violations(declared(), 5000, -74, -60), 0);
}

TEST(FusedAddRmsNorm, EveryPartOfTheBoundIsNeeded) {
  Fn half = gpu::rsqrtf();
  half.relative /= 2;
  EXPECT_GT(violations(declared(1, half), 5000), 0);
  EXPECT_GT(violations(declared(0, gpu::rsqrtf(), 0), 5000), 0);
}

TEST(FusedAddRmsNorm, ANanMakesItsRowNan) {
  const Posed p = posed({1, NAN, 3}, {1, 1, 1}, 1e-6);
  for (int64_t i = 0; i < 3; i++) {
    EXPECT_TRUE(std::isnan(p.expected(0, i, kNormalised).value));
    EXPECT_TRUE(p.expected(0, i, kNormalised).inside);
  }
}

TEST(FusedAddRmsNorm, AnInfinityMakesFiniteElementsZeroAndItselfNan) {
  const Posed p = posed({1, -INFINITY, -3}, {1, 1, 1}, 1e-6);
  EXPECT_EQ(p.expected(0, 0, kNormalised).value, 0);
  EXPECT_TRUE(std::isnan(p.expected(0, 1, kNormalised).value));
  EXPECT_EQ(p.expected(0, 2, kNormalised).value, 0);
  EXPECT_TRUE(p.expected(0, 0, kNormalised).inside);
}

TEST(FusedAddRmsNorm, AZeroRowIsZeroWithEpsilonAndNanWithout) {
  EXPECT_EQ(posed({0, 0}, {1, 1}, 1e-6).expected(0, 0, kNormalised).value, 0);
  EXPECT_TRUE(std::isnan(posed({0, 0}, {1, 1}, 0).expected(0, 0, kNormalised).value));
  EXPECT_TRUE(posed({0, 0}, {1, 1}, 0).expected(0, 0, kNormalised).inside);
}

TEST(FusedAddRmsNorm, SpecialWeightsFollowIeee754) {
  const Posed p = posed({1, -1, 0, 2}, {NAN, INFINITY, INFINITY, 1}, 1e-6);
  EXPECT_TRUE(std::isnan(p.expected(0, 0, kNormalised).value));
  EXPECT_EQ(p.expected(0, 1, kNormalised).value, -INFINITY);
  EXPECT_TRUE(std::isnan(p.expected(0, 2, kNormalised).value));
  EXPECT_TRUE(std::isfinite(p.expected(0, 3, kNormalised).value));
}

TEST(FusedAddRmsNorm, AnInfiniteWeightOfAnElementThatMayUnderflowIsOutside) {
  const Posed p = posed({0x1p60, 0x1p-100, 0x1p-20, 0}, {1, INFINITY, INFINITY, INFINITY}, 1e-6);
  EXPECT_FALSE(p.expected(0, 1, kNormalised).inside);
  EXPECT_EQ(p.expected(0, 2, kNormalised).value, INFINITY);
  EXPECT_TRUE(p.expected(0, 2, kNormalised).inside);
  EXPECT_TRUE(p.expected(0, 3, kNormalised).inside);
}

TEST(FusedAddRmsNorm, RowsWhoseSquaresLeaveTheRangeOfFloatAreOutside) {
  EXPECT_FALSE(posed({0x1p64, 1}, {1, 1}, 1e-6).expected(0, 0, kNormalised).inside);
  EXPECT_TRUE(posed({0x1p63, 1}, {1, 1}, 1e-6).expected(0, 0, kNormalised).inside);
  EXPECT_FALSE(posed({0x1p-80, 0x1p-80}, {1, 1}, 0).expected(0, 0, kNormalised).inside);
  EXPECT_TRUE(posed({0x1p-80, 0x1p-80}, {1, 1}, 1e-6).expected(0, 0, kNormalised).inside);
}

TEST(FusedAddRmsNorm, InfinitiesAndNanOfTheResidualFollowIeee754) {
  Posed p("fused_add_rms_norm", {{"d", int64_t{4}}}, declared());
  const double x[] = {INFINITY, INFINITY, NAN, 0x1.fep127}, r[] = {1, -INFINITY, 1, 0x1.fep127};
  for (int64_t i = 0; i < 4; i++) p.set("x", 0, i, x[i]), p.set("residual", 0, i, r[i]);
  EXPECT_EQ(p.expected(0, 0, kResidual).value, INFINITY);
  EXPECT_TRUE(std::isnan(p.expected(0, 1, kResidual).value));
  EXPECT_TRUE(std::isnan(p.expected(0, 2, kResidual).value));
  EXPECT_EQ(p.expected(0, 3, kResidual).value, 0x1.fep128);
}

TEST(FusedAddRmsNorm, TensorsLieAsTheParametersSay) {
  const Posed p("fused_add_rms_norm", {{"rows", int64_t{3}}, {"d", int64_t{9}}, {"x_pad", int64_t{2}}, {"residual_pad", int64_t{4}}, {"offset", int64_t{5}}}, declared());
  EXPECT_EQ(tensor(p.before, "x").spec.strides, (std::vector<int64_t>{11}));
  EXPECT_EQ(tensor(p.before, "residual").spec.strides, (std::vector<int64_t>{13}));
  EXPECT_EQ(tensor(p.before, "weight").spec.shape, (std::vector<int64_t>{1, 9}));
  EXPECT_EQ(tensor(p.before, "x").spec.role, Role::inout);
  EXPECT_EQ(tensor(p.before, "residual").spec.role, Role::inout);
  EXPECT_EQ(tensor(p.before, "weight").spec.role, Role::input);
  EXPECT_EQ(tensor(p.before, "x").spec.offset, 5);
  EXPECT_EQ(p.contract.work(p.parameters).bytes, 27 * 2 * 4 + 9 * 2);
}

}  // namespace
}  // namespace assay
