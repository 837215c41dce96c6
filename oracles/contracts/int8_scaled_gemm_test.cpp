#include <climits>
#include <cmath>

#include "oracles/contracts/test_contract.hpp"

namespace assay {
namespace {

Arithmetic materialised(bool bias) {
  Arithmetic a;
  a.with("convert", Round{Format::fp32}).with("scale_b", Round{Format::fp32}).with(bias ? "bias" : "scale_a", Round{Format::fp32});
  a.contraction = bias ? Contraction::always : Contraction::never;
  return a;
}

Arithmetic open(Contraction contraction) {
  Arithmetic a;
  for (const char* slot : {"convert", "scale_b", "scale_a", "bias"}) a.with(slot, Ops{});
  a.contraction = contraction;
  return a;
}

struct Shape {
  int64_t k = 40;
  const char *a_scale = "per_token", *b_scale = "per_channel", *azp = "none", *dtype = "bf16";
  bool bias = false;
};

struct Product {
  Shape shape;
  Posed p;

  Product(Shape s, const Arithmetic& arithmetic)
      : shape(s), p("int8_scaled_gemm", {{"m", int64_t{2}}, {"n", int64_t{3}}, {"k", s.k}, {"a_scale", std::string(s.a_scale)}, {"b_scale", std::string(s.b_scale)},
                                         {"azp", std::string(s.azp)}, {"dtype", std::string(s.dtype)}, {"bias", int64_t{s.bias}}},
                    arithmetic) {}
  explicit Product(Shape s) : Product(s, materialised(s.bias)) {}

  bool by_token() const { return shape.azp == std::string("per_token"); }
  bool has_zero() const { return shape.azp != std::string("none"); }
  void fill(const char* name, auto&& draw) {
    Tensor& t = tensor(p.before, name);
    for (int64_t row = 0; row < t.spec.rows(); row++)
      for (int64_t column = 0; column < t.spec.width(); column++) t.set_code(row, column, encode(t.spec.format, draw()));
  }
  void draw(Random& random, int zeros) {
    auto code = [&] { return double(random.below(256) - 128); };
    auto scale = [&] { return random.bf16(-8, 4) * (1 + random.uniform() * 0x1p-8); };   // with all 24 bits
    fill("a", code), fill("b", code), fill("a_scale", scale), fill("b_scale", scale);
    if (has_zero()) fill("azp_adj", [&] { return double(random.below(zeros) - zeros / 2); });
    if (by_token()) fill("azp", code);
    if (shape.bias) fill("bias", [&] { return random.bf16(-6, 6); });
  }
  double scale_of(const char* name, int64_t i) const { return p.value(name, 0, tensor(p.before, name).spec.width() == 1 ? 0 : i); }
  int64_t difference(int64_t m, int64_t n) const {   // modulo 2^32, as int32
    int64_t sum = 0;
    for (int64_t i = 0; i < shape.k; i++) sum += int64_t(p.value("a", m, i) * p.value("b", n, i));
    if (has_zero()) sum -= int64_t(by_token() ? p.value("azp", 0, m) : 1) * int64_t(p.value("azp_adj", 0, n));
    return int32_t(uint32_t(uint64_t(sum)));
  }
  double bias(int64_t n) const { return shape.bias ? p.value("bias", 0, n) : 0; }
  Wide exact(int64_t m, int64_t n) const { return Wide(scale_of("a_scale", m)) * Wide(scale_of("b_scale", n)) * Wide(difference(m, n)) + Wide(bias(n)); }
  float computed(int64_t m, int64_t n, bool fused) const {
    const float t = float(scale_of("b_scale", n)) * float(difference(m, n)), s = float(scale_of("a_scale", m));
    if (!shape.bias) return s * t;
    return fused ? std::fma(s, t, float(bias(n))) : s * t + float(bias(n));
  }
};

template <class Inspect>
void for_all_shapes(Inspect&& inspect) {
  for (const char* a : {"per_tensor", "per_token"})
    for (const char* b : {"per_tensor", "per_channel"})
      for (const char* azp : {"none", "per_tensor", "per_token"})
        for (bool bias : {false, true})
          for (const char* dtype : {"bf16", "fp16"}) inspect(Shape{.a_scale = a, .b_scale = b, .azp = azp, .dtype = dtype, .bias = bias});
}

TEST(Int8ScaledGemm, ComputesItsFormula) {
  Random random(1);
  for_all_shapes([&](const Shape& s) {
    Product product(s, open(Contraction::always));
    product.draw(random, 20000);
    for (int64_t m = 0; m < 2; m++)
      for (int64_t n = 0; n < 3; n++) expect_agreement(product.p, m, n, product.exact(m, n));
  });
}

TEST(Int8ScaledGemm, MaterialisedStagesHaveOneValue) {
  Random random(2);
  for_all_shapes([&](const Shape& s) {
    for (int i = 0; i < 20; i++) {
      Product product(s);
      product.draw(random, i % 2 ? 20000 : INT_MAX);
      for (int64_t m = 0; m < 2; m++)
        for (int64_t n = 0; n < 3; n++) {
          const float want = product.computed(m, n, true);
          const Decided sure = product.p.decided(m, n);
          EXPECT_EQ(sure.bound.total(), 0);
          EXPECT_EQ(wide_of(sure.low), Wide(want));
          EXPECT_TRUE(allows(product.p.expected(m, n), want));
        }
    }
  });
}

template <class F>
int violations(F&& implementation, const Arithmetic& declared, Shape s) {
  Random random(3);
  int found = 0;
  for (int i = 0; i < 2000; i++) {
    Product product(s, declared);
    product.draw(random, INT_MAX);
    found += !allows(product.p.expected(0, 0), implementation(product));
  }
  return found;
}

TEST(Int8ScaledGemm, OpenStagesAllowTheirRoundings) {
  const Shape shape{.azp = "per_tensor", .bias = true};
  auto fused = [](const Product& p) { return p.computed(0, 0, true); };
  auto apart = [](const Product& p) { return p.computed(0, 0, false); };
  auto a_first = [](const Product& p) {
    return std::fma(float(p.scale_of("b_scale", 0)), float(p.scale_of("a_scale", 0)) * float(p.difference(0, 0)), float(p.bias(0)));
  };
  EXPECT_EQ(violations(fused, open(Contraction::always), shape), 0);
  EXPECT_EQ(violations(apart, open(Contraction::never), shape), 0);
  EXPECT_EQ(violations(fused, open(Contraction::either), shape), 0);
  EXPECT_EQ(violations(apart, open(Contraction::either), shape), 0);
  EXPECT_EQ(violations(a_first, open(Contraction::always), shape), 0);
  // Materialised means that order and that fusion.
  EXPECT_GT(violations(apart, materialised(true), shape), 100);
  EXPECT_GT(violations(a_first, materialised(true), shape), 100);
}

TEST(Int8ScaledGemm, AnUndeclaredRoundingIsFoundOut) {
  const Shape shape{.azp = "per_tensor"};
  auto computed = [](const Product& p) { return p.computed(0, 0, true); };
  for (const char* left_out : {"convert", "scale_b", "scale_a"}) {
    Arithmetic a;
    for (const char* slot : {"convert", "scale_b", "scale_a"}) a.with(slot, Ops{.count = slot == std::string(left_out) ? 0 : 1});
    EXPECT_EQ(violations(computed, open(Contraction::never), shape), 0);
    EXPECT_GT(violations(computed, a, shape), 0) << left_out;
  }
}

Product ones(Shape s = {}) {
  Product product(s);
  for (const char* name : {"a", "b", "a_scale", "b_scale"}) product.fill(name, [] { return 1.0; });
  return product;
}

TEST(Int8ScaledGemm, SumsAndZeroPointsWrapAround) {
  Product longest = ones({.k = 131072});
  longest.fill("a", [] { return -128.0; }), longest.fill("b", [] { return -128.0; });
  EXPECT_EQ(longest.p.expected(1, 1).value, -0x1p31);   // 2^31 is one too many
  longest.p.set("a", 1, 7, 0);
  EXPECT_EQ(longest.p.expected(1, 1).value, double(float(0x1p31 - 16384)));

  Product zeros = ones({.azp = "per_token"});
  zeros.p.set("azp", 0, 0, -128), zeros.p.set("azp_adj", 0, 0, 0x1p25);   // the product is -2^32: nothing
  EXPECT_EQ(zeros.p.expected(0, 0).value, 40);
  zeros.p.set("azp", 0, 0, 1), zeros.p.set("azp_adj", 0, 0, -0x1p31);
  EXPECT_EQ(zeros.p.expected(0, 0).value, double(float(40 - 0x1p31)));
}

TEST(Int8ScaledGemm, ZeroPointsBelongToTheirRowAndColumn) {
  Product token = ones({.azp = "per_token"});
  for (int i = 0; i < 3; i++) token.p.set("azp_adj", 0, i, 10 * (i + 1));
  token.p.set("azp", 0, 0, 2), token.p.set("azp", 0, 1, -3);
  EXPECT_EQ(token.p.expected(0, 1).value, 40 - 2 * 20);
  EXPECT_EQ(token.p.expected(1, 2).value, 40 + 3 * 30);
  Product all = ones({.azp = "per_tensor"});
  for (int i = 0; i < 3; i++) all.p.set("azp_adj", 0, i, 10 * (i + 1));
  EXPECT_EQ(all.p.expected(1, 2).value, 10);
}

TEST(Int8ScaledGemm, LargeSumsAreRoundedToFp32BeforeTheyAreScaled) {
  Product product = ones({.azp = "per_tensor"});
  product.p.set("azp_adj", 0, 0, 40 - (0x1p24 + 1));
  EXPECT_EQ(product.difference(0, 0), (1 << 24) + 1);
  EXPECT_EQ(product.p.expected(0, 0).value, 0x1p24);
}

TEST(Int8ScaledGemm, SpecialScalesFollowIeee754) {
  auto with = [](double a_scale, double b_scale, double bias, int first = 1) {
    Product product = ones({.bias = true});
    product.fill("a", [&] { return double(first); });
    product.p.set("a_scale", 0, 0, a_scale), product.p.set("b_scale", 0, 0, b_scale), product.p.set("bias", 0, 0, bias);
    const Expected e = product.p.expected(0, 0);
    EXPECT_TRUE(e.inside);
    EXPECT_TRUE(std::isfinite(product.p.expected(1, 1).value));
    return e.value;
  };
  EXPECT_EQ(with(1, 2, 3), 83);
  EXPECT_TRUE(std::isnan(with(NAN, 1, 0)));
  EXPECT_TRUE(std::isnan(with(1, NAN, 0)));
  EXPECT_TRUE(std::isnan(with(1, 1, NAN)));
  EXPECT_EQ(with(INFINITY, -1, 0), -INFINITY);
  EXPECT_TRUE(std::isnan(with(0, INFINITY, 0)));
  EXPECT_TRUE(std::isnan(with(INFINITY, 1, 0, 0)));
  EXPECT_TRUE(std::isnan(with(INFINITY, 1, -INFINITY)));
  EXPECT_EQ(with(1, 1, INFINITY), INFINITY);
}

TEST(Int8ScaledGemm, OverflowInsideTheEpilogueIsOutside) {
  Product product = ones();
  product.p.set("b_scale", 0, 0, 0x1p122);
  EXPECT_TRUE(product.p.expected(0, 0).inside);
  product.p.set("b_scale", 0, 0, 0x1p123), product.p.set("a_scale", 0, 0, 0x1p-20);
  EXPECT_FALSE(product.p.expected(0, 0).inside);
  product.p.set("b_scale", 0, 0, 0x1p-140), product.p.set("a_scale", 0, 0, INFINITY);
  EXPECT_FALSE(product.p.expected(0, 0).inside);   // an implementation that flushes multiplies infinity by zero
}

TEST(Int8ScaledGemm, TensorsLieAsTheParametersSay) {
  const Posed p("int8_scaled_gemm",
                {{"m", int64_t{3}}, {"n", int64_t{5}}, {"k", int64_t{70}}, {"dtype", std::string("fp16")}, {"a_scale", std::string("per_token")},
                 {"azp", std::string("per_token")}, {"bias", int64_t{1}}, {"a_pad", int64_t{1}}, {"b_pad", int64_t{2}}, {"y_pad", int64_t{3}}, {"offset", int64_t{6}}},
                materialised(true));
  auto spec = [&](const char* name) { return tensor(p.before, name).spec; };
  EXPECT_EQ(spec("a").shape, (std::vector<int64_t>{3, 70}));
  EXPECT_EQ(spec("b").shape, (std::vector<int64_t>{5, 70}));
  EXPECT_EQ(spec("a_scale").width(), 3);
  EXPECT_EQ(spec("b_scale").width(), 1);
  EXPECT_EQ(spec("azp").width(), 3);
  EXPECT_EQ(spec("azp_adj").width(), 5);
  EXPECT_EQ(spec("bias").format, Format::fp16);
  EXPECT_EQ(spec("y").format, Format::fp16);
  EXPECT_EQ(spec("y").role, Role::output);
  EXPECT_EQ(spec("a").strides[0], 71);
  EXPECT_EQ(spec("b").strides[0], 72);
  EXPECT_EQ(spec("y").strides[0], 8);
  for (const char* name : {"a", "b", "y"}) EXPECT_EQ(spec(name).offset, 6);
  EXPECT_EQ(p.contract.work(p.parameters).multiply_adds, 3 * 5 * 70);
}

}  // namespace
}  // namespace assay
