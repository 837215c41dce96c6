#include <cmath>

#include "oracles/contracts/test_contract.hpp"

namespace assay {
namespace {

Arithmetic with(Instruction instruction, int64_t k, int64_t parts, int bias_roundings) {
  return Arithmetic()
      .with("dot", Dot{.instruction = std::move(instruction), .chains = contiguous_chains(k, parts, 64)})
      .with("bias", Ops{.count = bias_roundings})
      .with("exp", gpu::fast_expf())
      .with("one_plus", Ops{})
      .with("divide", Ops{});
}

/// A chain of FP32 fused multiply-adds in each part.
Arithmetic declared(int64_t k, int64_t parts) { return with(fp32_fma(), k, parts, 1); }

struct Product {
  Posed p;
  int64_t k, parts;
  std::string activation;

  Product(int64_t k_, int64_t parts_, const char* activation_, Arithmetic arithmetic)
      : p("bf16_gemm", {{"m", int64_t{2}}, {"n", int64_t{3}}, {"k", k_}, {"split_k", parts_}, {"bias", int64_t{1}}, {"activation", std::string(activation_)}},
          std::move(arithmetic)),
        k(k_), parts(parts_), activation(activation_) {}
  Product(int64_t k_, int64_t parts_, const char* activation_) : Product(k_, parts_, activation_, declared(k_, parts_)) {}

  void fill(const char* name, auto&& draw) {
    Tensor& t = tensor(p.before, name);
    for (int64_t row = 0; row < t.spec.rows(); row++)
      for (int64_t column = 0; column < t.spec.width(); column++) t.set_code(row, column, encode(t.spec.format, draw()));
  }
  void draw(Random& random, int spread) {
    for (const char* name : {"x", "w", "bias"}) fill(name, [&] { return random.bf16(-spread, spread); });
  }
  Wide exact(int64_t m, int64_t n) const {
    Wide v = p.value("bias", 0, n);
    for (int64_t i = 0; i < k; i++) v += Wide(p.value("x", m, i)) * Wide(p.value("w", n, i));
    if (activation == "relu") return v < 0 ? Wide(0) : v;
    return activation == "silu" ? Wide(v / (1 + exp(Wide(-v)))) : v;
  }
  float computed(int64_t m, int64_t n) const {
    const int64_t length = ((k + 63) / 64 + parts - 1) / parts * 64;
    float sum = 0;
    for (int64_t first = 0; first < k; first += length) {
      float part = 0;
      for (int64_t i = first; i < std::min(k, first + length); i++) part = std::fma(float(p.value("x", m, i)), float(p.value("w", n, i)), part);
      sum = first == 0 ? part : sum + part;
    }
    const float v = sum + float(p.value("bias", 0, n));
    if (activation == "relu") return v < 0 ? 0 : v;
    return activation == "silu" ? v / (1 + std::exp(-v)) : v;
  }
};

TEST(Bf16Gemm, ComputesItsFormula) {
  Random random(1);
  for (const char* activation : {"none", "relu", "silu"})
    for (auto [k, parts] : {std::pair{1, 1}, {40, 1}, {130, 2}, {200, 4}}) {
      Product product(k, parts, activation);
      product.draw(random, 3);
      for (int64_t m = 0; m < 2; m++)
        for (int64_t n = 0; n < 3; n++) expect_agreement(product.p, m, n, product.exact(m, n));
    }
}

int violations(const char* activation, int spread, auto&& arithmetic_of, const std::vector<int64_t>& lengths = {1, 7, 64, 150, 300}) {
  Random random(2);
  int found = 0;
  for (int i = 0; i < 1000; i++) {
    const int64_t k = lengths[size_t(random.below(int(lengths.size())))], parts = 1 + random.below(3);
    Product product(k, parts, activation, arithmetic_of(k, parts));
    product.draw(random, spread);
    const Expected e = product.p.expected(0, 0);
    found += !e.inside || !allows(e, product.computed(0, 0));
  }
  return found;
}

TEST(Bf16Gemm, FloatImplementationsStayInsideTheBoundOfTheirOrder) {
  for (const char* activation : {"none", "relu", "silu"})
    for (int spread : {1, 6}) EXPECT_EQ(violations(activation, spread, declared), 0) << activation << ' ' << spread;
}

TEST(Bf16Gemm, AnUndeclaredRoundingIsFoundOut) {
  auto without_bias = [](int64_t k, int64_t parts) { return with(fp32_fma(), k, parts, 0); };
  auto exact_sum = [](int64_t k, int64_t parts) {
    Instruction wide = fp32_fma();
    wide.depth = wide.terms = 64;   // one rounding for 64 products
    return with(wide, k, parts, 1);
  };
  EXPECT_GT(violations("none", 12, without_bias, {1}), 0);
  EXPECT_GT(violations("none", 2, exact_sum), 0);
}

TEST(Bf16Gemm, RepresentableSumsCarryNoError) {
  Random random(3);
  for (int i = 0; i < 200; i++) {
    Product product(100, 1 + random.below(2), "relu");
    for (const char* name : {"x", "w", "bias"}) product.fill(name, [&] { return double(random.below(9) - 4); });
    const Expected e = product.p.expected(1, 2);
    EXPECT_EQ(e.bound.total() + e.radius, 0);
    EXPECT_EQ(Wide(e.value), product.exact(1, 2));
  }
}

Product ones(const char* activation = "none") {
  Product product(100, 2, activation);
  for (const char* name : {"x", "w"}) product.fill(name, [] { return 1.0; });
  return product;
}

TEST(Bf16Gemm, NanAndInfinitiesFollowIeee754) {
  auto with = [](double x, double w, const char* activation = "none", double bias = 0) {
    Product product = ones(activation);
    product.p.set("x", 0, 70, x), product.p.set("w", 0, 70, w), product.p.set("bias", 0, 0, bias);
    const Expected e = product.p.expected(0, 0);
    EXPECT_TRUE(e.inside);
    EXPECT_TRUE(std::isfinite(product.p.expected(1, 1).value));
    return e.value;
  };
  EXPECT_EQ(with(2, 3), 105);
  EXPECT_TRUE(std::isnan(with(NAN, 0)));
  EXPECT_TRUE(std::isnan(with(INFINITY, 0)));
  EXPECT_EQ(with(INFINITY, -1), -INFINITY);
  EXPECT_TRUE(std::isnan(with(INFINITY, 1, "none", -INFINITY)));
  EXPECT_TRUE(std::isnan(with(1, 1, "none", NAN)));
  EXPECT_TRUE(std::isnan(with(NAN, 1, "relu")));
  EXPECT_EQ(with(-INFINITY, 1, "relu"), 0);
  EXPECT_EQ(with(INFINITY, 1, "silu"), INFINITY);
  EXPECT_TRUE(std::isnan(with(-INFINITY, 1, "silu")));
}

TEST(Bf16Gemm, SumsBeyondFloatAreOutsideBesideInfinitiesToo) {
  Product product = ones();
  product.p.set("x", 0, 0, 0x1p126), product.p.set("x", 0, 1, 0x1p126);
  EXPECT_TRUE(product.p.expected(0, 0).inside);
  product.p.set("x", 0, 2, 0x1p127);
  EXPECT_FALSE(product.p.expected(0, 0).inside);
  product.p.set("x", 0, 3, -INFINITY);
  EXPECT_FALSE(product.p.expected(0, 0).inside);
  product.p.set("x", 0, 2, 1);
  EXPECT_TRUE(product.p.expected(0, 0).inside);
}

// Sums so large that the bias is lost in them: what is uncertain of the gate must come out of silu, and no more.
TEST(Bf16Gemm, SiluOfHugeSumsIsBounded) {
  Product product = ones("silu");
  product.p.set("x", 0, 0, 0x1p90), product.p.set("bias", 0, 0, 1);
  const Expected e = product.p.expected(0, 0);
  EXPECT_TRUE(std::isfinite(e.bound.total()));
  EXPECT_TRUE(allows(e, product.computed(0, 0)));
  EXPECT_LT(e.bound.total(), 0x1p90 * 0x1p-16);
  product.p.set("x", 0, 0, -0x1p90);
  EXPECT_EQ(product.p.expected(0, 0).value, 0);
}

TEST(Bf16Gemm, TensorsLieAsTheParametersSay) {
  const Posed p("bf16_gemm",
                {{"m", int64_t{3}}, {"n", int64_t{5}}, {"k", int64_t{70}}, {"bias", int64_t{1}}, {"x_pad", int64_t{1}}, {"w_pad", int64_t{2}}, {"y_pad", int64_t{3}},
                 {"offset", int64_t{6}}},
                declared(70, 1));
  auto spec = [&](const char* name) { return tensor(p.before, name).spec; };
  EXPECT_EQ(spec("x").shape, (std::vector<int64_t>{3, 70}));
  EXPECT_EQ(spec("w").shape, (std::vector<int64_t>{5, 70}));
  EXPECT_EQ(spec("bias").width(), 5);
  EXPECT_EQ(spec("y").shape, (std::vector<int64_t>{3, 5}));
  EXPECT_EQ(spec("y").role, Role::output);
  EXPECT_EQ(spec("x").strides[0], 71);
  EXPECT_EQ(spec("w").strides[0], 72);
  EXPECT_EQ(spec("y").strides[0], 8);
  for (const char* name : {"x", "w", "y"}) EXPECT_EQ(spec(name).offset, 6);
  EXPECT_EQ(p.contract.work(p.parameters).multiply_adds, 3 * 5 * 70);
}

}  // namespace
}  // namespace assay
