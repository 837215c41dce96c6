#include <cmath>

#include "oracles/contracts/test_contract.hpp"

namespace assay {
namespace {

constexpr float kFloor = 1.0f / (448.0f * 512.0f);

Arithmetic declared() { return Arithmetic().with("scale", Round{Format::fp32}).with("quotient", Round{Format::fp32}); }

Posed posed(const std::vector<double>& row, std::optional<double> bound = {}) {
  Posed p("fp8_quant_token", {{"rows", int64_t{2}}, {"d", int64_t(row.size())}, {"bounded", int64_t{bound.has_value()}}}, declared());
  for (size_t i = 0; i < row.size(); i++) p.set("x", 1, int64_t(i), row[i]);
  if (bound) p.set("scale_ub", 0, 0, *bound);
  return p;
}

/// The scale of the second row; the first is all zeros.
double scale(const std::vector<double>& row, std::optional<double> bound = {}) { return posed(row, bound).expected(0, 1, 0).value; }

TEST(Fp8QuantToken, TheScaleIsTheLargestMagnitudeOver448) {
  EXPECT_EQ(scale({1, -896, 3}), 2);
  EXPECT_EQ(float(scale({1, -5, 3})), 5.0f / 448.0f);
  EXPECT_EQ(scale({1, -INFINITY, 3}), INFINITY);
  EXPECT_EQ(scale({NAN, 448, NAN}), 1);
}

TEST(Fp8QuantToken, RowsOfSmallValuesHaveTheLeastScale) {
  EXPECT_EQ(scale({0, -0.0}), double(kFloor));
  EXPECT_EQ(scale({NAN, NAN}), double(kFloor));
  EXPECT_EQ(scale({0x1p-10, 0}), double(kFloor));  // 2^-10 / 448 = 2.2e-6
  EXPECT_EQ(float(scale({0x1p-9, 0})), 0x1p-9f / 448.0f);
  EXPECT_EQ(posed({0, 0}).expected(0, 0, 0).value, double(kFloor));
}

TEST(Fp8QuantToken, TheUpperBoundIsOneOfTheMagnitude) {
  EXPECT_EQ(scale({1, -896, 3}, 448), 1);
  EXPECT_EQ(scale({1, -896, 3}, 1e4), 2);
  EXPECT_EQ(scale({1, -INFINITY, 3}, 448), 1);
  EXPECT_EQ(scale({1, -896, 3}, NAN), 2);
  EXPECT_EQ(scale({1, -896, 3}, 0), double(kFloor));
  for (double negative : {-7.0, -0x1p-149, -double(INFINITY)}) EXPECT_EQ(scale({1, -896, 3}, negative), double(kFloor));
}

TEST(Fp8QuantToken, CodesAreJudgedOnTheScaleThatWasLeft) {
  Posed p = posed({1, -896, 3, NAN});
  tensor(p.after, "scale").set_code(0, 1, encode(Format::fp32, 0.5));  // wrong, and named by the first step alone
  EXPECT_EQ(p.expected(1, 0, 1).value, 2);
  EXPECT_EQ(p.expected(1, 1, 1).value, -1792);
  EXPECT_EQ(p.expected(1, 3, 1).value, 448);
}

}  // namespace
}  // namespace assay
