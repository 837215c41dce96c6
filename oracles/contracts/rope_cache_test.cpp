#include <cmath>

#include "oracles/contracts/test_contract.hpp"

namespace assay {
namespace {

Arithmetic exact_angle(double relative = 0x1p-50, double per_argument = 0) {
  return Arithmetic().with("cos_sin", Fn{.function = "test", .relative = relative, .absolute_per_argument = per_argument, .smallest = 0, .source = "test"});
}
Arithmetic rounded_angle() { return exact_angle().with("angle", Round{Format::fp32}); }

Posed posed(int64_t rows, const std::vector<double>& frequency, const Arithmetic& a) {
  Posed p("rope_cache", {{"max_position", rows}, {"rot_dim", int64_t(2 * frequency.size())}}, a);
  for (size_t i = 0; i < frequency.size(); i++) p.set("inv_freq", 0, int64_t(i), frequency[i]);
  return p;
}

TEST(RopeCache, ComputesItsFormulaAtTheExactAngle) {
  const std::vector<double> frequency{1, double(0.7f), double(1e-4f)};
  const Posed p = posed(131072, frequency, exact_angle());
  for (int64_t row : {0, 1, 2, 1000, 131071})
    for (int64_t i = 0; i < 3; i++) {
      const Wide angle = Wide(double(row)) * Wide(frequency[size_t(i)]);
      expect_agreement(p, row, i, cos(angle));
      expect_agreement(p, row, 3 + i, sin(angle));
    }
}

TEST(RopeCache, ComputesItsFormulaAtTheRoundedAngleWhereThatIsDeclared) {
  const double frequency = double(0.7f);
  const Posed p = posed(131072, {frequency}, rounded_angle()), other = posed(131072, {frequency}, exact_angle());
  int different = 0;
  for (int64_t row : {3, 999, 131071}) {
    const Wide angle = double(float(double(row) * frequency));
    expect_agreement(p, row, 0, cos(angle));
    expect_agreement(p, row, 1, sin(angle));
    different += !allows(other.expected(row, 1), p.expected(row, 1).value);
  }
  EXPECT_GT(different, 1);
}

TEST(RopeCache, TheErrorGrowsWithTheAngleWhereThatIsDeclared) {
  const Posed p = posed(1025, {1}, exact_angle(0, 0x1p-30));
  EXPECT_EQ(p.expected(1, 0).bound.total(), 0x1p-30);
  EXPECT_EQ(p.expected(1024, 0).bound.total(), 0x1p-20);
  EXPECT_EQ(p.expected(0, 0).bound.total(), 0);
}

TEST(RopeCache, APerturbedResultIsInsideUpToTheDeclaredErrorOnly) {
  const Posed p = posed(100, {double(0.3f)}, exact_angle(0x1p-20));
  for (int64_t row : {1, 10, 99}) {
    const double exact = std::sin(double(row) * double(0.3f));
    EXPECT_TRUE(allows(p.expected(row, 1), exact * (1 + 0x1.ffp-21)));
    EXPECT_FALSE(allows(p.expected(row, 1), exact * (1 + 0x1.01p-20)));
  }
}

TEST(RopeCache, AnOddRotationIsRefused) {
  auto why = [](int64_t rot) { return find<Contract>("rope_cache")->refuses(Parameters({{"rot_dim", rot}})).value_or(""); };
  EXPECT_EQ(why(6), "");
  EXPECT_EQ(why(7), "rot_dim=7 must be even");
}

TEST(RopeCache, TensorsLieAsTheParametersSay) {
  const Posed p = posed(5, {1, 1, 1}, exact_angle());
  EXPECT_EQ(tensor(p.before, "inv_freq").spec.shape, (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(tensor(p.before, "cache").spec.shape, (std::vector<int64_t>{5, 6}));
  EXPECT_EQ(tensor(p.before, "cache").spec.format, Format::fp32);
  EXPECT_EQ(tensor(p.before, "cache").spec.role, Role::output);
}

}  // namespace
}  // namespace assay
