// What the four contracts of FP8 quantisers share: quotients, their roundings, and codes at the edges of E4M3.
#include "oracles/contracts/fp8_quant.hpp"

#include "oracles/contracts/test_contract.hpp"

namespace assay {
namespace {

using namespace fp8_quant;

Arithmetic correctly_rounded() {
  return Arithmetic()
      .with("scale", Round{Format::fp32})
      .with("quotient", Round{Format::fp32})
      .with("reciprocal", Round{Format::fp32})
      .with("product", Round{Format::fp32});
}

Arithmetic counted(int quotient, int reciprocal, int product) {
  return Arithmetic()
      .with("scale", Ops{.count = 1})
      .with("quotient", Ops{.count = quotient})
      .with("reciprocal", Ops{.count = reciprocal})
      .with("product", Ops{.count = product});
}

uint64_t e4m3(double x) { return encode(Format::e4m3fn, x, Overflow::saturate); }

/// An operand, and a scale of any kind or one that carries it next to a tie of E4M3, where roundings show.
struct Pair {
  double x, scale;
};

Pair drawn(Random& random) {
  const double x = random.bf16(-8, 8), tie = std::ldexp(17.0 + 2 * random.below(8), random.below(12) - 10);
  const double any = std::ldexp(1 + random.uniform(), random.below(16) - 8);
  return {x, double(float(random.below(4) ? std::fabs(x) / tie : any))};
}

TEST(Fp8Quant, ACorrectlyRoundedDivisionLeavesOneCode) {
  Random random(1);
  int ties = 0;
  for (int i = 0; i < 20000; i++) {
    const Pair p = drawn(random);
    const Expected e = code(p.x, p.scale, Formula::division, kMost, correctly_rounded());
    ASSERT_EQ(e.radius + e.bound.total(), 0);
    const float q = float(p.x) / float(p.scale);
    ASSERT_EQ(e4m3(e.value), e4m3(double(q))) << p.x << " / " << p.scale;
    ties += e4m3(double(q)) != e4m3(p.x / p.scale);
  }
  EXPECT_GT(ties, 0);  // rounding to FP32 first makes ties of what were none
}

TEST(Fp8Quant, ACorrectlyRoundedReciprocalLeavesOneCode) {
  Random random(2);
  int differ = 0;
  for (int i = 0; i < 20000; i++) {
    const Pair p = drawn(random);
    const Expected e = code(p.x, p.scale, Formula::reciprocal, kMost, correctly_rounded());
    ASSERT_EQ(e.radius + e.bound.total(), 0);
    const float q = float(p.x) * (1.0f / float(p.scale));
    ASSERT_EQ(e4m3(e.value), e4m3(double(q))) << p.x << " * 1 / " << p.scale;
    differ += e4m3(double(q)) != e4m3(double(float(p.x) / float(p.scale)));
  }
  EXPECT_GT(differ, 0);
}

TEST(Fp8Quant, CountedRoundingsAllowWhatFloatsGiveAndNoMore) {
  Random random(3);
  int two_legal = 0, beyond_one = 0;
  for (int i = 0; i < 20000; i++) {
    const Pair p = drawn(random);
    const float divided = float(p.x) / float(p.scale), multiplied = float(p.x) * (1.0f / float(p.scale));
    const Expected one = code(p.x, p.scale, Formula::division, kMost, counted(1, 1, 1)),
                   two = code(p.x, p.scale, Formula::reciprocal, kMost, counted(1, 1, 1));
    ASSERT_TRUE(allows(one, double(divided)) && allows(two, double(divided)) && allows(two, double(multiplied))) << p.x << ' ' << p.scale;
    ASSERT_EQ(one.bound[Term::operation] == 0, double(divided) * p.scale == p.x);
    beyond_one += !allows(one, double(multiplied));
    const double e = one.bound.total();
    two_legal += e4m3(one.value - e) != e4m3(one.value + e);
  }
  EXPECT_GT(two_legal, 0);
  EXPECT_GT(beyond_one, 0);
}

TEST(Fp8Quant, BothPassesAgree) {
  Random random(4);
  for (int i = 0; i < 2000; i++) {
    const Pair p = drawn(random);
    for (const Arithmetic& a : {counted(1, 1, 1), correctly_rounded()})
      for (Formula f : {Formula::division, Formula::reciprocal}) {
        const auto fast = scaled<double>(p.x, p.scale, f, a);
        const auto wide = scaled<Wide>(p.x, p.scale, f, a);
        EXPECT_LE(abs(Wide(fast.value) - wide.value), Wide(fast.radius) * Wide(kInflation));
        EXPECT_LE(std::fabs(fast.bound.total() - wide.bound.total()), fast.radius + 0x1p-30 * wide.bound.total());
      }
  }
}

TEST(Fp8Quant, TiesOfTheExactQuotientGoToTheEvenCode) {
  for (uint64_t c = 0; c < 0x7E; c++) {
    const double tie = (decode(Format::e4m3fn, c) + decode(Format::e4m3fn, c + 1)) / 2;
    for (double unit : {1.0, 3.0, 7.0, 0x1p-20, 5 * 0x1p30})
      for (const Arithmetic& a : {counted(1, 1, 1), correctly_rounded()}) {
        const Expected e = code(-tie * unit, unit, Formula::division, kMost, a);
        EXPECT_EQ(e.value, -tie);
        EXPECT_EQ(e.radius + e.bound.total(), 0);
        EXPECT_EQ(e4m3(e.value), 0x80 | (c + c % 2));
      }
  }
}

TEST(Fp8Quant, SpecialOperandsFollowIeee754AndANanQuotientTheClamp) {
  const Arithmetic a = correctly_rounded();
  for (Formula f : {Formula::division, Formula::reciprocal}) {
    auto value = [&](double x, double scale, double nan = kMost) { return code(x, scale, f, nan, a).value; };
    EXPECT_EQ(value(NAN, 1), kMost);
    EXPECT_EQ(value(NAN, 1, -kMost), -kMost);
    EXPECT_EQ(value(1, NAN), kMost);
    EXPECT_EQ(value(0, 0), kMost);
    EXPECT_EQ(value(INFINITY, INFINITY, -kMost), -kMost);
    EXPECT_EQ(value(1, 0), INFINITY);
    EXPECT_EQ(value(1, -0.0), -INFINITY);
    EXPECT_EQ(value(-INFINITY, 2), -INFINITY);
    EXPECT_EQ(value(-INFINITY, -2), INFINITY);
    EXPECT_EQ(value(3, INFINITY), 0);
    EXPECT_TRUE(std::signbit(value(-3, INFINITY)));
    EXPECT_TRUE(std::signbit(value(-0.0, 3)));
    EXPECT_EQ(value(6, -2), -3);
  }
}

TEST(Fp8Quant, AReciprocalBeyondFloatIsInfiniteAndAQuotientIsNot) {
  const Arithmetic a = correctly_rounded();
  for (double scale : {0x1p-149, -0x1p-149, 0x1p-129, 0x1p-128}) {
    EXPECT_EQ(code(0x1p-130, scale, Formula::reciprocal, kMost, a).value, std::copysign(INFINITY, scale)) << scale;
    EXPECT_EQ(code(0, scale, Formula::reciprocal, kMost, a).value, kMost) << scale;
    EXPECT_EQ(code(0x1p-130, scale, Formula::division, kMost, a).value, 0x1p-130 / scale) << scale;
    EXPECT_EQ(code(0, scale, Formula::division, kMost, a).value, 0) << scale;
  }
  const double next = 0x1.000008p-128;  // FP32 has steps of 2^-149 here
  EXPECT_EQ(code(0x1p-130, next, Formula::reciprocal, kMost, a).value, 0x1p-130 * double(1.0f / float(next)));
  EXPECT_FALSE(code(1, 0x1p-128, Formula::reciprocal, kMost, counted(1, 1, 1)).inside);  // 2^128 (1 - u) is still finite
  EXPECT_TRUE(code(1, 0x1p-127, Formula::reciprocal, kMost, counted(1, 1, 1)).inside);
}

TEST(Fp8Quant, AScaleBelowItsFloorIsTheFloor) {
  const Arithmetic a = counted(1, 1, 1);
  EXPECT_EQ(at_least(0.5, scale<double>(448, a)).value, 1);
  EXPECT_EQ(at_least(2.0, scale<double>(448, a)).value, 2);
  EXPECT_EQ(at_least(2.0, scale<double>(3, a)).bound.total(), 0);
  const auto near = at_least(1.0, scale<double>(std::nextafter(448.0, 0), a));  // may be the floor or what rounds up to it
  EXPECT_EQ(near.value, 1);
  EXPECT_GT(near.bound.total(), 0);
}

TEST(Fp8Quant, ANanDoesNotCountForTheLargestMagnitude) {
  Tensor x = make_tensor(rows_of({.name = "x", .format = Format::fp16}, 1, 4));
  const double values[] = {-3, NAN, 2, -0.0};
  for (int64_t i = 0; i < 4; i++) x.set_code(0, i, encode(Format::fp16, values[i]));
  EXPECT_EQ(amax(x, 0, 0, 4), 3);
  EXPECT_EQ(amax(x, 0, 1, 2), 0);
  EXPECT_EQ(amax(x, 0, 1, 4, 2.5), 2.5);
  x.set_code(0, 3, encode(Format::fp16, -INFINITY));
  EXPECT_EQ(amax(x, 0, 0, 4), INFINITY);
}

}  // namespace
}  // namespace assay
