#include <cfloat>
#include <cmath>

#include "oracles/contracts/test_contract.hpp"

namespace assay {
namespace {

Arithmetic declared(Fn exp = gpu::fast_expf()) {
  return Arithmetic().with("exp", std::move(exp)).with("one_plus", Ops{}).with("divide", Ops{}).with("product", Ops{});
}
Arithmetic rounding() { return declared().with("silu", Round{Format::bf16}); }

Posed posed(double gate, double up, const Arithmetic& a = declared()) {
  Posed p("silu_and_mul", {{"d", int64_t{1}}}, a);
  p.set("gate_up", 0, 0, gate), p.set("gate_up", 0, 1, up);
  return p;
}

Wide silu(double gate) { return Wide(gate) / (1 + exp(Wide(-gate))); }

TEST(SiluAndMul, ComputesItsFormula) {
  Random random(1);
  for (int i = 0; i < 200; i++) {
    const double gate = random.bf16(-10, 6), up = random.bf16(-10, 10);
    expect_agreement(posed(gate, up), 0, 0, silu(gate) * Wide(up));
  }
  for (double gate : {0.0, 1.0, -87.0, 88.0, -0x1p-133, 0x1p100}) expect_agreement(posed(gate, -1.5), 0, 0, silu(gate) * Wide(-1.5));
}

TEST(SiluAndMul, RoundsSiluFirstWhereThatIsDeclared) {
  Random random(2);
  int different = 0;
  for (int i = 0; i < 200; i++) {
    const double gate = random.bf16(-3, 4), up = random.bf16(-3, 3);
    const Posed p = posed(gate, up, rounding());
    if (p.expected(0, 0).bound[Term::intermediate] > 0) continue;
    const double narrow = decode(Format::bf16, encode(Format::bf16, exact_of(silu(gate))));
    expect_agreement(p, 0, 0, Wide(narrow) * Wide(up));
    different += !allows(posed(gate, up).expected(0, 0), narrow * up);
  }
  EXPECT_GT(different, 100);
}

TEST(SiluAndMul, TakesGateFromTheFirstHalfAndUpFromTheSecond) {
  Posed p("silu_and_mul", {{"rows", int64_t{2}}, {"d", int64_t{3}}, {"in_pad", int64_t{1}}}, declared());
  for (int64_t row = 0; row < 2; row++)
    for (int64_t column = 0; column < 6; column++) p.set("gate_up", row, column, double(1 + row * 6 + column));
  for (int64_t row = 0; row < 2; row++)
    for (int64_t column = 0; column < 3; column++)
      expect_agreement(p, row, column, silu(double(1 + row * 6 + column)) * Wide(double(4 + row * 6 + column)));
}

float implementation(double gate, double up, const Fn& fn, bool narrow, Random& random) {
  const double exact = std::exp(-gate);
  float power = approximated(exact, fn.relative + std::fabs(gate) * fn.relative_per_argument, random);
  if (exact < 0x1p-126 && random.coin()) power = 0;
  float s = float(gate) / (1.0f + power);
  if (narrow) s = rounded_to_bf16(s);
  return s * float(up);
}

int violations(const Arithmetic& a, bool narrow, int tries) {
  Random random(3);
  int found = 0;
  for (int i = 0; i < tries; i++) {
    const double gate = random.coin() ? random.bf16(-12, 7) : double(random.below(240) - 120), up = random.bf16(-20, 20);
    const Expected want = posed(gate, up, a).expected(0, 0);
    found += want.inside && !allows(want, implementation(gate, up, gpu::fast_expf(), narrow, random));
  }
  return found;
}

TEST(SiluAndMul, FloatImplementationsStayInsideTheBound) {
  EXPECT_EQ(violations(declared(), false, 20000), 0);
  EXPECT_EQ(violations(rounding(), true, 20000), 0);
}

TEST(SiluAndMul, EveryPartOfTheBoundIsNeeded) {
  Fn without_relative = gpu::fast_expf(), without_argument = gpu::fast_expf();
  without_relative.relative = 0, without_argument.relative_per_argument = 0;
  EXPECT_GT(violations(declared(without_relative), false, 5000), 0);
  EXPECT_GT(violations(declared(without_argument), false, 5000), 0);
  Arithmetic fewer = Arithmetic().with("exp", gpu::fast_expf()).with("one_plus", Ops{.count = 0}).with("divide", Ops{.count = 0}).with("product", Ops{.count = 0});
  EXPECT_GT(violations(fewer, false, 5000), 0);
  EXPECT_GT(violations(declared(), true, 5000), 0);
  EXPECT_GT(violations(rounding(), false, 5000), 0);
}

TEST(SiluAndMul, AnExponentialThatOverflowsMayGiveZero) {
  for (double gate : {-89.0, -95.0, -100.0, -700.0, -701.0, -1e30}) {
    const Expected want = posed(gate, 1).expected(0, 0);
    EXPECT_TRUE(allows(want, 0)) << gate;
    EXPECT_TRUE(allows(want, static_cast<double>(silu(gate)))) << gate;
  }
  EXPECT_FALSE(allows(posed(-80, 1).expected(0, 0), 0));
}

TEST(SiluAndMul, SpecialsFollowIeee754) {
  auto value = [](double gate, double up) {
    const Expected e = posed(gate, up).expected(0, 0);
    EXPECT_TRUE(e.inside) << gate << ' ' << up;
    return e.value;
  };
  EXPECT_TRUE(std::isnan(value(NAN, 1)));
  EXPECT_TRUE(std::isnan(value(1, NAN)));
  EXPECT_TRUE(std::isnan(value(-INFINITY, 1)));
  EXPECT_TRUE(std::isnan(value(INFINITY, 0)));
  EXPECT_TRUE(std::isnan(value(0, INFINITY)));
  EXPECT_EQ(value(INFINITY, 2), INFINITY);
  EXPECT_EQ(value(INFINITY, -2), -INFINITY);
  EXPECT_EQ(value(1, -INFINITY), -INFINITY);
  EXPECT_EQ(value(-1, -INFINITY), INFINITY);
}

TEST(SiluAndMul, AnInfiniteUpIsOutsideTheDomainWhereSiluMayBeZero) {
  for (double gate : {-89.0, -700.0, -1000.0}) EXPECT_FALSE(posed(gate, INFINITY).expected(0, 0).inside) << gate;
}

TEST(SiluAndMul, TensorsLieAsTheParametersSay) {
  const Posed p("silu_and_mul", {{"rows", int64_t{4}}, {"d", int64_t{10}}, {"in_pad", int64_t{3}}, {"out_pad", int64_t{5}}, {"offset", int64_t{7}}}, declared());
  const TensorSpec &in = tensor(p.before, "gate_up").spec, &out = tensor(p.before, "out").spec;
  EXPECT_EQ(in.shape, (std::vector<int64_t>{4, 20}));
  EXPECT_EQ(in.strides, (std::vector<int64_t>{23}));
  EXPECT_EQ(out.shape, (std::vector<int64_t>{4, 10}));
  EXPECT_EQ(out.strides, (std::vector<int64_t>{15}));
  EXPECT_EQ(in.offset, 7);
  EXPECT_EQ(out.offset, 7);
  EXPECT_EQ(in.role, Role::input);
  EXPECT_EQ(out.role, Role::output);
  EXPECT_EQ(p.contract.work(p.parameters).bytes, 4 * (20 + 10) * 2);
}

}  // namespace
}  // namespace assay
