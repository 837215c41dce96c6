#include "oracles/arithmetic/arithmetic.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <stdexcept>

namespace assay {
namespace {

using Wide = boost::multiprecision::cpp_bin_float_100;

std::string complaint(auto&& f) {
  try {
    f();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "no complaint";
}

TEST(Arithmetic, UnitRoundoffIsHalfTheStepAfterOne) {
  for (Format f : {Format::fp32, Format::bf16, Format::fp16, Format::e4m3fn, Format::e5m2}) {
    const double step = decode(f, next_up(f, encode(f, 1.0))) - 1;
    EXPECT_EQ(unit_roundoff(f), step / 2) << info(f).name;
  }
}

TEST(Arithmetic, ASlotHasOneStage) {
  EXPECT_THROW(Arithmetic().with("scale", Ops{}).with("scale", Round{Format::fp16}), std::logic_error);
}

TEST(Arithmetic, GrowthIsAtLeastTheCompoundRoundingAndLittleMore) {
  for (Format f : {Format::fp32, Format::bf16})
    for (int64_t n : {1, 2, 3, 10, 100, 200}) {
      const Wide u = unit_roundoff(f), compound = pow(1 + u, int(n)) - 1, nu = u * n;
      EXPECT_GE(Wide(growth(f, n)), compound) << info(f).name << ' ' << n;
      EXPECT_LE(Wide(growth(f, n)), nu / (1 - nu) * (1 + Wide(0x1p-48))) << info(f).name << ' ' << n;
    }
}

TEST(Arithmetic, GrowthOfNothingIsNothingAndGrowthWithoutLimitIsInfinite) {
  EXPECT_EQ(growth(Format::fp32, 0), 0);
  EXPECT_EQ(growth(Format::bf16, 512), INFINITY);
  EXPECT_LT(growth(Format::bf16, 255), INFINITY);
}

TEST(Arithmetic, StagesAreFoundBySlotAndKind) {
  const Arithmetic a = Arithmetic().with("dot", Sum{.depth = 7}).with("exp", gpu::fast_expf()).with("scale", Ops{.count = 2}).with("out", Round{Format::fp16});
  EXPECT_EQ(a.sum("dot").depth, 7);
  EXPECT_EQ(a.fn("exp").function, "__expf");
  EXPECT_EQ(a.ops("scale").count, 2);
  ASSERT_NE(a.round("out"), nullptr);
  EXPECT_EQ(a.round("out")->to, Format::fp16);
}

TEST(Arithmetic, ASlotIsMaterialisedOrCountsItsRoundings) {
  const Arithmetic a = Arithmetic().with("quotient", Round{Format::fp32}).with("product", Ops{.count = 1});
  EXPECT_TRUE(a.materialises("quotient"));
  EXPECT_FALSE(a.materialises("product"));
  EXPECT_FALSE(a.materialises("scale"));
}

TEST(Arithmetic, AMissingRoundingMeansThatTheValueStaysWide) { EXPECT_EQ(Arithmetic().round("silu"), nullptr); }

TEST(Arithmetic, AMissingSlotIsNamedWithTheKindItNeeds) {
  EXPECT_EQ(complaint([] { Arithmetic().sum("dot"); }), "arithmetic: slot 'dot' needs a sum");
  EXPECT_EQ(complaint([] { Arithmetic().fn("exp"); }), "arithmetic: slot 'exp' needs a function");
  EXPECT_EQ(complaint([] { Arithmetic().ops("mean"); }), "arithmetic: slot 'mean' needs a count of roundings");
}

TEST(Arithmetic, ASlotOfAnotherKindIsAComplaint) {
  const Arithmetic a = Arithmetic().with("dot", Ops{});
  EXPECT_EQ(complaint([&] { a.sum("dot"); }), "arithmetic: slot 'dot' needs a sum");
  EXPECT_EQ(complaint([&] { a.round("dot"); }), "arithmetic: slot 'dot' needs a rounding to a format");
}

TEST(Arithmetic, TextListsTheStagesInOrder) {
  Arithmetic a = Arithmetic()
                     .with("sum", Sum{.depth = 23, .order = "a tree"})
                     .with("mean", Ops{.count = 1})
                     .with("scale", Ops{.format = Format::bf16, .count = 2})
                     .with("f", Fn{.function = "f", .relative = 0.5, .absolute_per_argument = 0.25, .source = "measured"})
                     .with("silu", Round{Format::bf16});
  EXPECT_EQ(a.text(),
            "sum: fp32 sum of depth 23 (a tree); mean: 1 fp32 rounding; scale: 2 bf16 roundings; "
            "f: f within 0.5 relative + 0.25 |x| absolute (measured); silu: rounded to bf16");
  a.contraction = Contraction::always;
  EXPECT_TRUE(a.text().ends_with("; multiply-adds fused")) << a.text();
  a.contraction = Contraction::either, a.flush_subnormals = true;
  EXPECT_TRUE(a.text().ends_with("; multiply-adds fused or not; subnormals flushed")) << a.text();
  EXPECT_EQ(Arithmetic().text(), "");
}

TEST(Arithmetic, FastExpCountsTheRoundingOfItsProductAndOfItsConstant) {
  const Wide log2_e = 1 / log(Wide(2)), constant = 0x1.715476p+0;
  const Wide off = abs(constant / log2_e - 1), u = 0x1p-24;
  const Fn f = gpu::fast_expf();
  for (double x : {0.5, 5.0, 88.0}) {
    const Wide slip = x * (off + u + off * u), error = exp(slip) * (1 + Wide(2.5 * 0x1p-23)) - 1;
    EXPECT_LE(error, Wide(f.relative + x * f.relative_per_argument)) << x;
  }
}

}  // namespace
}  // namespace assay
