#include <cmath>

#include "oracles/contracts/test_contract.hpp"

namespace assay {
namespace {

Posed posed(const char* to, int64_t saturate, double value) {
  Posed p("convert", {{"n", int64_t{1}}, {"to", std::string(to)}, {"saturate", saturate}}, Arithmetic());
  p.set("in", 0, 0, value);
  return p;
}

TEST(Convert, ExpectsTheOperandItselfWithoutAnyError) {
  Random random(1);
  for (const char* to : {"bf16", "fp16", "e4m3fn", "e5m2"})
    for (int i = 0; i < 100; i++) {
      const double x = double(float(std::ldexp(2 * random.uniform() - 1, random.below(40) - 20)));
      const Posed p = posed(to, 0, x);
      expect_agreement(p, 0, 0, Wide(x));
      EXPECT_EQ(p.expected(0, 0).radius + p.expected(0, 0).bound.total(), 0);
    }
}

TEST(Convert, KeepsSpecialOperands) {
  EXPECT_TRUE(std::isnan(posed("bf16", 0, NAN).expected(0, 0).value));
  EXPECT_EQ(posed("bf16", 0, -INFINITY).expected(0, 0).value, -INFINITY);
  EXPECT_TRUE(posed("e4m3fn", 0, INFINITY).expected(0, 0).inside);
}

TEST(Convert, TheResultsFormatAndOverflowAreThoseAskedFor) {
  for (const char* to : {"bf16", "fp16", "e4m3fn", "e5m2"})
    EXPECT_EQ(info(tensor(posed(to, 0, 1).before, "out").spec.format).name, to);
  EXPECT_EQ(tensor(posed("e5m2", 0, 1).before, "out").spec.overflow, Overflow::to_infinity);
  EXPECT_EQ(tensor(posed("e5m2", 1, 1).before, "out").spec.overflow, Overflow::saturate);
}

TEST(Convert, OnlyFp8Saturates) {
  auto why = [](const char* to) { return find<Contract>("convert")->refuses(posed(to, 1, 0).parameters).value_or(""); };
  EXPECT_EQ(why("e4m3fn"), "");
  EXPECT_EQ(why("e5m2"), "");
  EXPECT_EQ(why("bf16"), "saturate=1 is for to=e4m3fn and to=e5m2");
  EXPECT_EQ(why("fp16"), "saturate=1 is for to=e4m3fn and to=e5m2");
}

}  // namespace
}  // namespace assay
