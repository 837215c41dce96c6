#include <cmath>

#include "oracles/contracts/test_contract.hpp"

namespace assay {
namespace {

/// FP32 fused multiply-adds within a block, the product of the scales rounded, one fused multiply-add for each block.
Arithmetic plain(int64_t k, int scale_roundings = 1) {
  return Arithmetic().with(
      "dot", Dot{.instruction = fp32_fma(), .chains = {{.end = k}}, .promotion = {.every = 128, .scale_roundings = scale_roundings}});
}

struct Product {
  Posed p;
  int64_t m, n, k;

  Product(int64_t m_, int64_t n_, int64_t k_, Arithmetic declared)
      : p("fp8_block_gemm", {{"m", m_}, {"n", n_}, {"k", k_}}, std::move(declared)), m(m_), n(n_), k(k_) {}
  Product(int64_t m_, int64_t n_, int64_t k_) : Product(m_, n_, k_, plain(k_)) {}

  int64_t blocks() const { return (k + 127) / 128; }
  void draw(Random& random) {
    auto e4m3 = [&] { return std::ldexp(random.below(16) - 8, random.below(8) - 5); };
    for (int64_t i = 0; i < k; i++) {
      for (int64_t r = 0; r < m; r++) p.set("a", r, i, e4m3());
      for (int64_t r = 0; r < n; r++) p.set("b", r, i, e4m3());
    }
    for (int64_t g = 0; g < blocks(); g++) {
      for (int64_t r = 0; r < m; r++) p.set("a_scale", g, r, 0.01 + random.uniform());
      for (int64_t r = 0; r < (n + 127) / 128; r++) p.set("b_scale", r, g, 0.01 + random.uniform());
    }
  }
  Wide exact(int64_t row, int64_t column) const {
    Wide sum = 0;
    for (int64_t i = 0; i < k; i++)
      sum += Wide(p.value("a", row, i)) * Wide(p.value("b", column, i)) * Wide(p.value("a_scale", i / 128, row)) *
             Wide(p.value("b_scale", column / 128, i / 128));
    return sum;
  }
};

TEST(Fp8BlockGemm, ComputesItsFormula) {
  Random random(1);
  for (int64_t k : {1, 100, 128, 130, 400}) {
    Product product(3, 260, k);
    product.draw(random);
    for (int64_t row = 0; row < 3; row++)
      for (int64_t column : {0, 127, 128, 255, 256, 259}) expect_agreement(product.p, row, column, product.exact(row, column));
  }
}

float block_after_block(const Product& product) {
  float sum = 0;
  for (int64_t g = 0; g < product.blocks(); g++) {
    float partial = 0;
    for (int64_t i = 128 * g; i < std::min(product.k, 128 * (g + 1)); i++)
      partial = std::fma(float(product.p.value("a", 0, i)), float(product.p.value("b", 0, i)), partial);
    sum = std::fma(float(product.p.value("a_scale", g, 0)) * float(product.p.value("b_scale", 0, g)), partial, sum);
  }
  return sum;
}

int violations(int64_t k, const Arithmetic& declared) {
  Random random(2);
  int found = 0;
  for (int i = 0; i < 400; i++) {
    Product product(1, 1, k, declared);
    product.draw(random);
    const Expected want = product.p.expected(0, 0);
    found += !want.inside || !allows(want, block_after_block(product));
  }
  return found;
}

TEST(Fp8BlockGemm, AFloatImplementationStaysInsideItsBound) {
  for (int64_t k : {3, 128, 130, 300, 900}) EXPECT_EQ(violations(k, plain(k)), 0) << k;
}

TEST(Fp8BlockGemm, AnUndeclaredProductOfScalesIsFoundOut) { EXPECT_GT(violations(3, plain(3, 0)), 0); }

TEST(Fp8BlockGemm, RepresentableSumsCarryNoError) {
  Product product(1, 1, 256);
  for (int64_t i = 0; i < 256; i++) product.p.set("a", 0, i, double(i % 7) - 3), product.p.set("b", 0, i, double(i % 5) - 2);
  for (int64_t g = 0; g < 2; g++) product.p.set("a_scale", g, 0, g ? 0.5 : 4), product.p.set("b_scale", 0, g, 2);
  const Expected want = product.p.expected(0, 0);
  EXPECT_EQ(want.bound.total() + want.radius, 0);
  EXPECT_EQ(Wide(want.value), product.exact(0, 0));
}

Product ones() {
  Product product(2, 130, 200);
  for (int64_t i = 0; i < 200; i++) {
    for (int64_t r = 0; r < 2; r++) product.p.set("a", r, i, 1);
    for (int64_t r = 0; r < 130; r++) product.p.set("b", r, i, 1);
  }
  for (int64_t g = 0; g < 2; g++)
    for (int64_t r = 0; r < 2; r++) product.p.set("a_scale", g, r, 2), product.p.set("b_scale", g, r, 3);
  return product;
}

TEST(Fp8BlockGemm, NanStaysInItsRowsAndColumns) {
  struct Place {
    const char* name;
    int64_t row, column;
    bool (*is_nan)(int64_t m, int64_t n);
  };
  const Place places[] = {{"a", 1, 150, [](int64_t m, int64_t) { return m == 1; }},
                          {"a_scale", 0, 1, [](int64_t m, int64_t) { return m == 1; }},
                          {"b", 129, 3, [](int64_t, int64_t n) { return n == 129; }},
                          {"b_scale", 1, 0, [](int64_t, int64_t n) { return n >= 128; }}};
  for (const Place& place : places) {
    Product product = ones();
    product.p.set(place.name, place.row, place.column, NAN);
    for (int64_t m = 0; m < 2; m++)
      for (int64_t n : {0, 127, 128, 129}) {
        const Expected e = product.p.expected(m, n);
        EXPECT_TRUE(e.inside) << place.name;
        EXPECT_EQ(std::isnan(e.value), place.is_nan(m, n)) << place.name << ' ' << m << ' ' << n;
      }
  }
}

TEST(Fp8BlockGemm, ScalesWhoseProductLeavesFp32AreOutside) {
  struct Pair {
    double a, b;
    bool inside;
  };
  for (const Pair& s : {Pair{0x1p100, 0x1p-100, true},
                        {0, 0x1p100, true},
                        {INFINITY, 1, false},
                        {1, INFINITY, false},
                        {0x1p100, 0x1p100, false},
                        {0x1p-80, 0x1p-80, false},
                        {0x1p63, 0x1p63, false},
                        {0x1p60, 0x1p50, true}}) {
    Product product = ones();
    product.p.set("a_scale", 1, 0, s.a), product.p.set("b_scale", 0, 1, s.b);
    EXPECT_EQ(product.p.expected(0, 0).inside, s.inside) << s.a << ' ' << s.b;
  }
}

TEST(Fp8BlockGemm, TensorsLieAsTheParametersSay) {
  const Posed p("fp8_block_gemm",
                {{"m", int64_t{5}},
                 {"n", int64_t{130}},
                 {"k", int64_t{200}},
                 {"a_pad", int64_t{1}},
                 {"b_pad", int64_t{2}},
                 {"y_pad", int64_t{3}},
                 {"a_scale_pad", int64_t{6}},
                 {"b_scale_pad", int64_t{7}},
                 {"offset", int64_t{4}}},
                plain(200));
  auto spec = [&](const char* name) { return tensor(p.before, name).spec; };
  EXPECT_EQ(spec("a_scale").shape, (std::vector<int64_t>{2, 5}));
  EXPECT_EQ(spec("b_scale").shape, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(spec("a").strides[0], 201);
  EXPECT_EQ(spec("b").strides[0], 202);
  EXPECT_EQ(spec("y").strides[0], 133);
  EXPECT_EQ(spec("a_scale").strides[0], 8 + 6);
  EXPECT_EQ(spec("b_scale").strides[0], 2 + 7);
  for (const char* name : {"a", "b", "y"}) EXPECT_EQ(spec(name).offset, 4) << name;
  EXPECT_EQ(spec("y").role, Role::output);
  EXPECT_EQ(p.contract.work(p.parameters).multiply_adds, 5 * 130 * 200);
  EXPECT_EQ(p.contract.work(p.parameters).bytes, 5 * 200 + 130 * 200 + 2 * 5 * 130 + 4 * (5 * 2 + 2 * 2));
}

}  // namespace
}  // namespace assay
