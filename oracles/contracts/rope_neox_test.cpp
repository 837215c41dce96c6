#include <cmath>

#include "oracles/contracts/test_contract.hpp"

namespace assay {
namespace {

constexpr size_t kRotated = 0, kPassed = 1;

Arithmetic declared(Contraction contraction, int each = 1) {
  Arithmetic a = Arithmetic().with("product", Ops{.count = each}).with("sum", Ops{.count = each});
  a.contraction = contraction;
  return a;
}

struct Pair {
  double x, y, c, s;
};

Posed posed(const Pair& v, Contraction contraction = Contraction::either, int each = 1) {
  Posed p("rope_neox", {{"head_size", int64_t{2}}, {"rot_dim", int64_t{2}}, {"max_position", int64_t{3}}}, declared(contraction, each));
  tensor(p.before, "positions").set_code(0, 0, 2);
  p.set("q", 0, 0, v.x), p.set("q", 0, 1, v.y), p.set("cos_sin_cache", 2, 0, v.c), p.set("cos_sin_cache", 2, 1, v.s);
  return p;
}

Pair drawn(Random& random, int spread) {
  return {random.bf16(-spread, spread), random.bf16(-spread, spread), double(float(2 * random.uniform() - 1)), double(float(2 * random.uniform() - 1))};
}

TEST(RopeNeox, ComputesItsFormula) {
  Random random(1);
  for (int i = 0; i < 100; i++) {
    const Pair v = drawn(random, 6);
    const Posed p = posed(v);
    expect_agreement(p, 0, 0, Wide(v.x) * v.c - Wide(v.y) * v.s, kRotated);
    expect_agreement(p, 0, 1, Wide(v.y) * v.c + Wide(v.x) * v.s, kRotated);
  }
}

TEST(RopeNeox, PairsElementsHalfARotationApartWithTheRowOfTheTokensPosition) {
  Posed p("rope_neox",
          {{"tokens", int64_t{3}}, {"q_heads", int64_t{2}}, {"k_heads", int64_t{1}}, {"head_size", int64_t{10}}, {"rot_dim", int64_t{6}},
           {"max_position", int64_t{5}}, {"q_pad", int64_t{3}}, {"q_head_pad", int64_t{1}}},
          declared(Contraction::always));
  Random random(2);
  const int64_t positions[] = {4, 0, 2};
  for (int64_t t = 0; t < 3; t++) tensor(p.before, "positions").set_code(0, t, uint64_t(positions[t]));
  for (int64_t row = 0; row < 5; row++)
    for (int64_t i = 0; i < 6; i++) p.set("cos_sin_cache", row, i, double(float(random.uniform())));
  for (int64_t row = 0; row < 6; row++)
    for (int64_t i = 0; i < 10; i++) p.set("q", row, i, random.bf16(-2, 2));
  for (int64_t row = 0; row < 6; row++)
    for (int64_t j = 0; j < 3; j++) {
      const int64_t at = positions[row / 2];
      const Wide x = p.value("q", row, j), y = p.value("q", row, j + 3), c = p.value("cos_sin_cache", at, j), s = p.value("cos_sin_cache", at, j + 3);
      expect_agreement(p, row, j, x * c - y * s, kRotated);
      expect_agreement(p, row, j + 3, y * c + x * s, kRotated);
    }
  EXPECT_EQ(p.contract.steps[kRotated].columns(p.parameters), (std::pair<int64_t, int64_t>(0, 6)));
  EXPECT_EQ(p.contract.steps[kPassed].columns(p.parameters), (std::pair<int64_t, int64_t>(6, 10)));
  for (int64_t row = 0; row < 6; row++)
    for (int64_t i = 6; i < 10; i++) EXPECT_EQ(p.contract.steps[kPassed].expected_code(p.problem(), row, i), tensor(p.before, "q").code(row, i));
}

TEST(RopeNeox, JudgesQueriesAndKeysAlike) {
  const Posed p = posed({1, 2, 0.5, 0.25});
  ASSERT_EQ(p.contract.steps.size(), 4u);
  EXPECT_EQ(p.contract.steps[0].tensor, "q");
  EXPECT_EQ(p.contract.steps[2].tensor, "k");
  EXPECT_EQ(p.contract.steps[1].compare, Compare::bits);
  EXPECT_EQ(p.contract.steps[3].compare, Compare::bits);
}

enum class Form { separate, first_fused, second_fused };

float implementation(const Pair& v, Form form) {
  const float x = float(v.x), y = -float(v.y), c = float(v.c), s = float(v.s);
  switch (form) {
    case Form::separate: return x * c + y * s;
    case Form::first_fused: return std::fma(x, c, y * s);
    case Form::second_fused: return std::fma(y, s, x * c);
  }
  return 0;
}

int violations(Contraction contraction, Form form, int spread, int each = 1) {
  Random random(3);
  int found = 0;
  for (int i = 0; i < 20000; i++) {
    const Pair v = drawn(random, spread);
    found += !allows(posed(v, contraction, each).expected(0, 0, kRotated), implementation(v, form));
  }
  return found;
}

TEST(RopeNeox, FloatImplementationsStayInsideTheBound) {
  for (int spread : {1, 120}) {
    EXPECT_EQ(violations(Contraction::never, Form::separate, spread), 0);
    EXPECT_EQ(violations(Contraction::either, Form::separate, spread), 0);
    for (Form form : {Form::first_fused, Form::second_fused}) {
      EXPECT_EQ(violations(Contraction::always, form, spread), 0);
      EXPECT_EQ(violations(Contraction::either, form, spread), 0);
    }
  }
}

TEST(RopeNeox, EveryPartOfTheBoundIsNeeded) {
  EXPECT_GT(violations(Contraction::always, Form::separate, 1), 0);
  EXPECT_GT(violations(Contraction::never, Form::separate, 1, 0), 0);
}

TEST(RopeNeox, RotationsByQuarterTurnsCarryNoError) {
  for (auto [c, s] : {std::pair{1.0, 0.0}, {0.0, 1.0}, {-1.0, 0.0}, {0.0, -1.0}, {0.5, -0.5}}) {
    const Posed p = posed({3, -5, c, s}, Contraction::never);
    EXPECT_EQ(p.expected(0, 0, kRotated).value, 3 * c + 5 * s);
    EXPECT_EQ(p.expected(0, 0, kRotated).bound.total(), 0);
  }
}

TEST(RopeNeox, InfinitiesAndNanFollowIeee754) {
  auto value = [](const Pair& v, int64_t column) {
    const Expected e = posed(v).expected(0, column, kRotated);
    EXPECT_TRUE(e.inside);
    return e.value;
  };
  EXPECT_EQ(value({INFINITY, 1, 0.5, 0.5}, 0), INFINITY);
  EXPECT_EQ(value({INFINITY, 1, 0.5, -0.5}, 1), -INFINITY);
  EXPECT_TRUE(std::isnan(value({INFINITY, 1, 0, 1}, 0)));
  EXPECT_EQ(value({INFINITY, 1, 0, 1}, 1), INFINITY);
  EXPECT_TRUE(std::isnan(value({INFINITY, INFINITY, 0.5, 0.5}, 0)));
  EXPECT_EQ(value({INFINITY, INFINITY, 0.5, 0.5}, 1), INFINITY);
  EXPECT_TRUE(std::isnan(value({NAN, 1, 0.5, 0.5}, 0)));
  EXPECT_TRUE(std::isnan(value({NAN, 1, 0.5, 0.5}, 1)));
}

TEST(RopeNeox, ProductsBeyondFloatAreOutside) {
  EXPECT_TRUE(posed({0x1p127, 1, 1, 0}).expected(0, 0, kRotated).inside);
  EXPECT_FALSE(posed({0x1p127, 1, 2, 0}).expected(0, 0, kRotated).inside);
  EXPECT_FALSE(posed({0x1p127, INFINITY, 2, 0.5}).expected(0, 0, kRotated).inside);
}

TEST(RopeNeox, RefusalsSayWhatWouldBeRight) {
  auto why = [](int64_t rot, int64_t head) {
    return find<Contract>("rope_neox")->refuses(Parameters({{"rot_dim", rot}, {"head_size", head}})).value_or("");
  };
  EXPECT_EQ(why(8, 8), "");
  EXPECT_EQ(why(5, 8), "rot_dim=5: dimensions are rotated in pairs, so it must be even");
  EXPECT_EQ(why(10, 8), "rot_dim=10 exceeds head_size=8");
}

TEST(RopeNeox, TensorsLieAsTheParametersSay) {
  const Posed p("rope_neox",
                {{"tokens", int64_t{3}}, {"q_heads", int64_t{4}}, {"k_heads", int64_t{2}}, {"head_size", int64_t{8}}, {"rot_dim", int64_t{4}},
                 {"q_pad", int64_t{5}}, {"k_pad", int64_t{6}}, {"q_head_pad", int64_t{1}}, {"k_head_pad", int64_t{2}}, {"offset", int64_t{3}}},
                declared(Contraction::never));
  const TensorSpec &q = tensor(p.before, "q").spec, &k = tensor(p.before, "k").spec;
  EXPECT_EQ(q.shape, (std::vector<int64_t>{3, 4, 8}));
  EXPECT_EQ(q.strides, (std::vector<int64_t>{4 * 9 + 5, 9}));
  EXPECT_EQ(k.shape, (std::vector<int64_t>{3, 2, 8}));
  EXPECT_EQ(k.strides, (std::vector<int64_t>{2 * 10 + 6, 10}));
  EXPECT_EQ(q.offset, 3);
  EXPECT_EQ(q.role, Role::inout);
  EXPECT_EQ(k.role, Role::inout);
  EXPECT_EQ(tensor(p.before, "cos_sin_cache").spec.shape, (std::vector<int64_t>{16, 4}));
  EXPECT_EQ(tensor(p.before, "positions").spec.limit, 16);
}

}  // namespace
}  // namespace assay
