// Per tensor: a scale that is given (fp8_quant_static) and one that is found (fp8_quant_tensor).
#include <cmath>

#include "oracles/contracts/test_contract.hpp"

namespace assay {
namespace {

Arithmetic declared() {
  return Arithmetic().with("scale", Round{Format::fp32}).with("reciprocal", Round{Format::fp32}).with("product", Round{Format::fp32});
}

/// Two rows of two.
Posed posed(const char* contract, const std::vector<double>& x, const char* dtype = "bf16") {
  Posed p(contract, {{"rows", int64_t{2}}, {"d", int64_t{2}}, {"dtype", std::string(dtype)}}, declared());
  for (int64_t i = 0; i < 4; i++) p.set("x", i / 2, i % 2, x[size_t(i)]);
  return p;
}

double found(const std::vector<double>& x, const char* dtype = "bf16") {
  return posed("fp8_quant_tensor", x, dtype).expected(0, 0, 0).value;
}

TEST(Fp8QuantTensor, TheScaleIsThatOfAllRowsAndHasNoFloor) {
  EXPECT_EQ(found({1, 2, -896, 3}), 2);
  EXPECT_EQ(float(found({1, 2, -5, 3}, "fp16")), 5.0f / 448.0f);
  EXPECT_EQ(found({0, -0.0, NAN, 0}), 0);
  EXPECT_EQ(found({0, 1, NAN, -INFINITY}), INFINITY);
  EXPECT_EQ(found({0x1p-133, 0, 0, 0}), double(0x1p-133f / 448.0f));
}

TEST(Fp8QuantTensor, ZerosUnderAScaleOfZeroBecomeTheLargestCode) {
  const Posed p = posed("fp8_quant_tensor", {0, 0, 0, 0});
  for (int64_t i = 0; i < 4; i++) EXPECT_EQ(p.expected(i / 2, i % 2, 1).value, 448);
}

TEST(Fp8QuantTensor, NoRowsHaveNoScale) {
  const Posed p("fp8_quant_tensor", {{"rows", int64_t{0}}, {"d", int64_t{8}}}, declared());
  EXPECT_EQ(tensor(p.before, "scale").spec.elements(), 0);
}

TEST(Fp8QuantStatic, MultipliesWithTheRoundedReciprocal) {
  Posed p = posed("fp8_quant_static", {25, -7, 1000, NAN});
  p.set("scale", 0, 0, 7);
  for (int64_t i = 0; i < 3; i++) EXPECT_EQ(p.expected(i / 2, i % 2).value, double(float(p.value("x", i / 2, i % 2)) * (1.0f / 7.0f)));
  EXPECT_EQ(p.expected(1, 1).value, 448);
  p.set("scale", 0, 0, -0.5);
  EXPECT_EQ(p.expected(0, 0).value, -50);
}

TEST(Fp8QuantStatic, AnyScaleIsLegal) {
  Posed p = posed("fp8_quant_static", {3, -3, 0, INFINITY});
  auto values = [&](double scale) {
    p.set("scale", 0, 0, scale);
    return std::array{p.expected(0, 0).value, p.expected(0, 1).value, p.expected(1, 0).value, p.expected(1, 1).value};
  };
  const double inf = INFINITY;
  EXPECT_EQ(values(0), (std::array{inf, -inf, 448.0, inf}));
  EXPECT_EQ(values(-0x1p-140), (std::array{-inf, inf, 448.0, -inf}));
  EXPECT_EQ(values(inf), (std::array{0.0, -0.0, 0.0, 448.0}));
  EXPECT_EQ(values(NAN), (std::array{448.0, 448.0, 448.0, 448.0}));
}

}  // namespace
}  // namespace assay
