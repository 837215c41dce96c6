#include <cmath>

#include "oracles/contracts/test_contract.hpp"

namespace assay {
namespace {

/// One FP32 fused multiply-add after the other, then the scales, b's first, and the bias fused to the last product.
Arithmetic plain(int64_t k, Contraction contraction = Contraction::always) {
  Arithmetic a;
  a.contraction = contraction;
  return a.with("dot", Dot{.instruction = fp32_fma(), .chains = {{.end = k}}})
      .with("b_scale", Ops{})
      .with("a_scale", Ops{})
      .with("bias", Ops{});
}

struct Shape {
  int64_t m = 1, n = 1, k = 16;
  bool bias = true;
  std::string dtype = "bf16", a_scale = "per_token", b_scale = "per_channel";
};

struct Product {
  Shape s;
  Posed p;

  explicit Product(Shape shape, Contraction contraction = Contraction::always)
      : s(shape),
        p("fp8_scaled_gemm",
          {{"m", s.m},
           {"n", s.n},
           {"k", s.k},
           {"bias", int64_t{s.bias}},
           {"dtype", s.dtype},
           {"a_scale", s.a_scale},
           {"b_scale", s.b_scale}},
          plain(s.k, contraction)) {}

  int64_t a_scales() const { return s.a_scale == "per_token" ? s.m : 1; }
  int64_t b_scales() const { return s.b_scale == "per_channel" ? s.n : 1; }
  double a_scale(int64_t m) const { return p.value("a_scale", 0, s.a_scale == "per_token" ? m : 0); }
  double b_scale(int64_t n) const { return p.value("b_scale", 0, s.b_scale == "per_channel" ? n : 0); }
  double bias(int64_t n) const { return s.bias ? p.value("bias", 0, n) : 0; }

  void draw(Random& random) {
    auto e4m3 = [&] { return std::ldexp(random.below(16) - 8, random.below(8) - 5); };
    for (int64_t i = 0; i < s.k; i++) {
      for (int64_t m = 0; m < s.m; m++) p.set("a", m, i, e4m3());
      for (int64_t n = 0; n < s.n; n++) p.set("b", n, i, e4m3());
    }
    for (int64_t m = 0; m < a_scales(); m++) p.set("a_scale", 0, m, 0.01 + random.uniform());
    for (int64_t n = 0; n < b_scales(); n++) p.set("b_scale", 0, n, 0.01 + random.uniform());
    for (int64_t n = 0; n < s.n && s.bias; n++) p.set("bias", 0, n, random.bf16(-3, 2));
  }
  Wide exact(int64_t m, int64_t n) const {
    Wide sum = 0;
    for (int64_t i = 0; i < s.k; i++) sum += Wide(p.value("a", m, i)) * Wide(p.value("b", n, i));
    return sum * Wide(a_scale(m)) * Wide(b_scale(n)) + Wide(bias(n));
  }
  float sum() const {
    float sum = 0;
    for (int64_t i = 0; i < s.k; i++) sum = std::fma(float(p.value("a", 0, i)), float(p.value("b", 0, i)), sum);
    return sum;
  }
};

TEST(Fp8ScaledGemm, ComputesItsFormula) {
  Random random(1);
  for (const char* a_scale : {"per_tensor", "per_token"})
    for (const char* b_scale : {"per_tensor", "per_channel"})
      for (bool bias : {false, true}) {
        Product product({.m = 2, .n = 3, .k = 40, .bias = bias, .dtype = bias ? "fp16" : "bf16", .a_scale = a_scale, .b_scale = b_scale});
        product.draw(random);
        for (int64_t m = 0; m < 2; m++)
          for (int64_t n = 0; n < 3; n++) expect_agreement(product.p, m, n, product.exact(m, n));
      }
}

float fused(const Product& p) {
  const float t = float(p.b_scale(0)) * p.sum();
  return p.s.bias ? std::fma(float(p.a_scale(0)), t, float(p.bias(0))) : float(p.a_scale(0)) * t;
}
float rounded_before_the_bias(const Product& p) { return float(p.a_scale(0)) * (float(p.b_scale(0)) * p.sum()) + float(p.bias(0)); }

template <class F>
int violations(F&& implementation, Contraction contraction, auto&& understate) {
  Random random(2);
  int found = 0;
  for (int i = 0; i < 1500; i++) {
    Product product({.k = 8, .bias = i % 4 != 0}, contraction);   // short: the scales' roundings weigh as much as the sum's
    product.draw(random);
    product.p.arithmetic = understate(product.p.arithmetic);
    const Expected want = product.p.expected(0, 0);
    found += !want.inside || !allows(want, implementation(product));
  }
  return found;
}

Arithmetic without(const char* slot, Contraction contraction) {
  Arithmetic a;
  a.contraction = contraction;
  a.with("dot", Dot{.instruction = fp32_fma(), .chains = {{.end = 8}}});
  for (const char* name : {"b_scale", "a_scale", "bias"}) a.with(name, Ops{.count = std::string(name) == slot ? 0 : 1});
  return a;
}

TEST(Fp8ScaledGemm, FloatImplementationsStayInsideTheBound) {
  auto as_declared = [](const Arithmetic& a) { return a; };
  for (Contraction c : {Contraction::always, Contraction::never, Contraction::either}) EXPECT_EQ(violations(fused, c, as_declared), 0);
  for (Contraction c : {Contraction::never, Contraction::either}) EXPECT_EQ(violations(rounded_before_the_bias, c, as_declared), 0);
}

TEST(Fp8ScaledGemm, AnUndeclaredRoundingIsFoundOut) {
  EXPECT_GT(violations(fused, Contraction::always, [](const Arithmetic&) { return without("b_scale", Contraction::always); }), 0);
  EXPECT_GT(violations(fused, Contraction::always, [](const Arithmetic&) { return without("bias", Contraction::always); }), 0);
  EXPECT_GT(
      violations(rounded_before_the_bias, Contraction::never, [](const Arithmetic&) { return without("a_scale", Contraction::never); }), 0);
}

TEST(Fp8ScaledGemm, RepresentableResultsCarryNoError) {
  Product product({.m = 1, .n = 1, .k = 64});
  for (int64_t i = 0; i < 64; i++) product.p.set("a", 0, i, double(i % 7) - 3), product.p.set("b", 0, i, double(i % 5) - 2);
  product.p.set("a_scale", 0, 0, 0.5), product.p.set("b_scale", 0, 0, 4), product.p.set("bias", 0, 0, 3);
  const Expected want = product.p.expected(0, 0);
  EXPECT_EQ(want.bound.total() + want.radius, 0);
  EXPECT_EQ(Wide(want.value), product.exact(0, 0));
}

Product ones() {
  Product product({.m = 2, .n = 2, .k = 4});
  for (int64_t r = 0; r < 2; r++) {
    for (int64_t i = 0; i < 4; i++) product.p.set("a", r, i, 1), product.p.set("b", r, i, 1);
    product.p.set("a_scale", 0, r, 2), product.p.set("b_scale", 0, r, 3), product.p.set("bias", 0, r, 1);
  }
  return product;
}

TEST(Fp8ScaledGemm, NanStaysInItsRowAndColumn) {
  for (const char* name : {"a", "a_scale", "b", "b_scale", "bias"}) {
    const bool of_a = name[0] == 'a', rows = name[1] == 0;
    Product product = ones();
    product.p.set(name, rows ? 1 : 0, rows ? 2 : 1, NAN);
    for (int64_t m = 0; m < 2; m++)
      for (int64_t n = 0; n < 2; n++) {
        const Expected e = product.p.expected(m, n);
        EXPECT_TRUE(e.inside) << name;
        EXPECT_EQ(std::isnan(e.value), (of_a ? m : n) == 1) << name << ' ' << m << ' ' << n;
      }
  }
}

TEST(Fp8ScaledGemm, ABiasMayBeInfiniteAndAScaleMayNot) {
  Product product = ones();
  product.p.set("bias", 0, 0, -INFINITY);
  EXPECT_EQ(product.p.expected(0, 0).value, -INFINITY);
  EXPECT_TRUE(product.p.expected(0, 0).inside);
  for (const char* name : {"a_scale", "b_scale"}) {
    Product scaled = ones();
    scaled.p.set(name, 0, 0, INFINITY);
    EXPECT_FALSE(scaled.p.expected(0, 0).inside) << name;
    EXPECT_TRUE(scaled.p.expected(1, 1).inside) << name;
  }
}

TEST(Fp8ScaledGemm, ScaledSumsThatMayOverflowAreOutside) {
  Product product = ones();
  product.p.set("b_scale", 0, 0, 0x1p107);   // 4 * 448^2 < 2^20
  EXPECT_FALSE(product.p.expected(0, 0).inside);
  product.p.set("b_scale", 0, 0, 0x1p100);
  EXPECT_TRUE(product.p.expected(0, 0).inside);
  product.p.set("a_scale", 0, 0, 0x1p8);
  EXPECT_FALSE(product.p.expected(0, 0).inside);
}

TEST(Fp8ScaledGemm, AScaledSumBelowTheNormalNumbersIsBoundedByItsStep) {
  Product product({.k = 8, .bias = false});
  Random random(3);
  product.draw(random);
  product.p.set("b_scale", 0, 0, 0x1p-149), product.p.set("a_scale", 0, 0, 0x1p30);
  const Expected want = product.p.expected(0, 0);
  EXPECT_TRUE(want.inside);
  EXPECT_GE(want.bound[Term::underflow], 0x1p-120);
  EXPECT_TRUE(allows(want, fused(product)));
}

TEST(Fp8ScaledGemm, TensorsLieAsTheParametersSay) {
  const Posed p("fp8_scaled_gemm",
                {{"m", int64_t{3}},
                 {"n", int64_t{5}},
                 {"k", int64_t{64}},
                 {"bias", int64_t{1}},
                 {"dtype", std::string("fp16")},
                 {"a_scale", std::string("per_token")},
                 {"a_pad", int64_t{1}},
                 {"b_pad", int64_t{2}},
                 {"y_pad", int64_t{3}},
                 {"offset", int64_t{4}}},
                plain(64));
  auto spec = [&](const char* name) { return tensor(p.before, name).spec; };
  EXPECT_EQ(spec("a").shape, (std::vector<int64_t>{3, 64}));
  EXPECT_EQ(spec("b").shape, (std::vector<int64_t>{5, 64}));
  EXPECT_EQ(spec("a_scale").shape, (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(spec("b_scale").shape, (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(spec("bias").shape, (std::vector<int64_t>{1, 5}));
  EXPECT_EQ(spec("y").shape, (std::vector<int64_t>{3, 5}));
  EXPECT_EQ(spec("a").strides[0], 65);
  EXPECT_EQ(spec("b").strides[0], 66);
  EXPECT_EQ(spec("y").strides[0], 8);
  for (const char* name : {"a", "b", "y"}) EXPECT_EQ(spec(name).offset, 4) << name;
  for (const char* name : {"bias", "y"}) EXPECT_EQ(spec(name).format, Format::fp16) << name;
  EXPECT_EQ(spec("y").role, Role::output);
  EXPECT_EQ(p.contract.work(p.parameters).multiply_adds, 3 * 5 * 64);
  EXPECT_EQ(p.contract.work(p.parameters).bytes, 3 * 64 + 5 * 64 + 2 * 15 + 4 * 4 + 2 * 5);
}

}  // namespace
}  // namespace assay
