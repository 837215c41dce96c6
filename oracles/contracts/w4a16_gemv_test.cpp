#include <cmath>

#include "oracles/contracts/test_contract.hpp"

namespace assay {
namespace {

Arithmetic declared(int64_t depth) { return Arithmetic().with("dot", Sum{.depth = depth}); }

struct Product {
  Posed p;
  int64_t k, group;
  std::vector<int> codes;

  Product(int64_t k_, int64_t group_, int64_t depth, int64_t m = 1, int64_t n = 1)
      : p("w4a16_gemv", {{"m", m}, {"n", n}, {"k", k_}, {"group", group_}}, declared(depth)), k(k_), group(group_), codes(size_t(n * k_), 8) {}

  void set_code(int64_t n, int64_t at, int code) {
    codes[size_t(n * k + at)] = code;
    Tensor& w = tensor(p.before, "w");
    const uint64_t word = w.code(n, at / 8), shift = uint64_t(4 * (at % 8));
    w.set_code(n, at / 8, (word & ~(uint64_t{15} << shift)) | uint64_t(code) << shift);
  }
  int weight(int64_t n, int64_t at) const { return codes[size_t(n * k + at)] - 8; }
  Wide exact(int64_t m, int64_t n) const {
    Wide sum = 0;
    for (int64_t i = 0; i < k; i++) sum += Wide(p.value("x", m, i)) * Wide(p.value("scale", n, i / group)) * weight(n, i);
    return sum;
  }
  void draw(Random& random, int spread) {
    for (int64_t m = 0; m < p.parameters.whole("m"); m++)
      for (int64_t i = 0; i < k; i++) p.set("x", m, i, random.bf16(-spread, spread));
    for (int64_t n = 0; n < p.parameters.whole("n"); n++) {
      for (int64_t g = 0; g < k / group; g++) p.set("scale", n, g, std::fabs(random.bf16(-spread, spread)));
      for (int64_t i = 0; i < k; i++) set_code(n, i, random.below(16));
    }
  }
};

TEST(W4a16Gemv, ComputesItsFormula) {
  Random random(1);
  for (auto [k, group] : {std::pair{8, 8}, {64, 16}, {96, 48}, {128, 128}}) {
    Product product(k, group, k, 2, 3);
    product.draw(random, 8);
    for (int64_t m = 0; m < 2; m++)
      for (int64_t n = 0; n < 3; n++) expect_agreement(product.p, m, n, product.exact(m, n));
  }
}

TEST(W4a16Gemv, TheFirstCodeLiesInTheLowestBits) {
  Product product(16, 16, 16);
  product.p.set("scale", 0, 0, 1);
  for (int64_t i = 0; i < 16; i++) product.p.set("x", 0, i, std::ldexp(1.0, int(i)));
  tensor(product.p.before, "w").set_code(0, 0, 0x8888888F);
  tensor(product.p.before, "w").set_code(0, 1, 0x08888888);
  EXPECT_EQ(product.p.expected(0, 0).value, 7.0 - 8.0 * 32768);
}

float chain(const Product& product) {
  float sum = 0;
  for (int64_t i = 0; i < product.k; i++)
    sum = std::fma(float(product.p.value("x", 0, i)), float(product.p.value("scale", 0, i / product.group)) * float(product.weight(0, i)), sum);
  return sum;
}

float scaled_after_each_group(const Product& product) {
  float sum = 0;
  for (int64_t g = 0; g < product.k / product.group; g++) {
    float partial = 0;
    for (int64_t i = g * product.group; i < (g + 1) * product.group; i++)
      partial = std::fma(float(product.p.value("x", 0, i)), float(product.weight(0, i)), partial);
    sum = std::fma(partial, float(product.p.value("scale", 0, g)), sum);
  }
  return sum;
}

float lanes(const Product& product) {
  std::vector<float> lane(8, 0.0f);
  for (int64_t i = 0; i < product.k; i++) {
    const float w = float(product.p.value("scale", 0, i / product.group)) * float(product.weight(0, i));
    lane[size_t(i % 8)] = std::fma(float(product.p.value("x", 0, i)), w, lane[size_t(i % 8)]);
  }
  for (size_t width = 4; width > 0; width /= 2)
    for (size_t i = 0; i < width; i++) lane[i] += lane[i + width];
  return lane[0];
}

struct Shape {
  int64_t k, group;
};

template <class F>
int violations(F&& implementation, int spread, auto&& depth_of) {
  Random random(2);
  int found = 0;
  for (int i = 0; i < 1500; i++) {
    const Shape s = std::vector<Shape>{{8, 8}, {64, 16}, {192, 64}}[size_t(random.below(3))];
    Product product(s.k, s.group, depth_of(s));
    product.draw(random, spread);
    const Expected want = product.p.expected(0, 0);
    found += !want.inside || !allows(want, implementation(product));
  }
  return found;
}

TEST(W4a16Gemv, FloatImplementationsStayInsideTheBoundOfTheirDepth) {
  for (int spread : {2, 12}) {
    EXPECT_EQ(violations(chain, spread, [](Shape s) { return s.k; }), 0);
    EXPECT_EQ(violations(scaled_after_each_group, spread, [](Shape s) { return s.group + s.k / s.group; }), 0);
    EXPECT_EQ(violations(lanes, spread, [](Shape s) { return s.k / 8 + 3; }), 0);
  }
}

TEST(W4a16Gemv, AnUndeclaredSumIsFoundOut) {
  EXPECT_GT(violations(chain, 2, [](Shape) { return 0; }), 0);
  EXPECT_GT(violations(chain, 2, [](Shape s) { return std::min<int64_t>(s.k / 64, 1); }), 0);
}

TEST(W4a16Gemv, RepresentableSumsCarryNoError) {
  Random random(3);
  for (int i = 0; i < 200; i++) {
    Product product(64, 16, 64);
    for (int64_t j = 0; j < 64; j++) product.p.set("x", 0, j, random.below(9) - 4), product.set_code(0, j, random.below(16));
    for (int64_t g = 0; g < 4; g++) product.p.set("scale", 0, g, std::ldexp(1.0, -random.below(3)));
    const Expected want = product.p.expected(0, 0);
    EXPECT_EQ(want.bound.total() + want.radius, 0);
    EXPECT_EQ(Wide(want.value), product.exact(0, 0));
    EXPECT_EQ(want.value, chain(product));
    EXPECT_EQ(want.value, scaled_after_each_group(product));
  }
}

Product ones() {
  Product product(16, 8, 16);
  for (int64_t i = 0; i < 16; i++) product.p.set("x", 0, i, 1), product.set_code(0, i, 9);
  product.p.set("scale", 0, 0, 1), product.p.set("scale", 0, 1, 2);
  return product;
}

TEST(W4a16Gemv, NanAndInfinitiesOfXFollowIeee754) {
  auto with = [](double x, int code) {
    Product product = ones();
    product.p.set("x", 0, 3, x), product.set_code(0, 3, code);
    const Expected e = product.p.expected(0, 0);
    EXPECT_TRUE(e.inside);
    return e.value;
  };
  EXPECT_EQ(with(1, 9), 24);
  EXPECT_TRUE(std::isnan(with(NAN, 9)));
  EXPECT_TRUE(std::isnan(with(NAN, 8)));
  EXPECT_TRUE(std::isnan(with(INFINITY, 8)));
  EXPECT_EQ(with(INFINITY, 9), INFINITY);
  EXPECT_EQ(with(INFINITY, 7), -INFINITY);
}

TEST(W4a16Gemv, OppositeInfinitiesGiveNan) {
  Product product = ones();
  product.p.set("x", 0, 3, INFINITY), product.p.set("x", 0, 12, -INFINITY);
  EXPECT_TRUE(std::isnan(product.p.expected(0, 0).value));
  EXPECT_TRUE(product.p.expected(0, 0).inside);
}

TEST(W4a16Gemv, ANanScaleGivesNanAndAnInfiniteOneIsOutside) {
  Product product = ones();
  product.p.set("scale", 0, 1, NAN);
  EXPECT_TRUE(std::isnan(product.p.expected(0, 0).value));
  EXPECT_TRUE(product.p.expected(0, 0).inside);
  product.p.set("scale", 0, 1, INFINITY);
  EXPECT_FALSE(product.p.expected(0, 0).inside);
}

TEST(W4a16Gemv, SpecialsStayInTheirRowAndColumn) {
  Product product(16, 8, 16, 2, 2);
  Random random(4);
  product.draw(random, 2);
  product.p.set("x", 1, 5, NAN), product.p.set("scale", 1, 0, NAN);
  EXPECT_TRUE(std::isfinite(product.p.expected(0, 0).value));
  EXPECT_TRUE(std::isnan(product.p.expected(1, 0).value));
  EXPECT_TRUE(std::isnan(product.p.expected(0, 1).value));
}

TEST(W4a16Gemv, SumsBeyondFloatAreOutside) {
  Product product = ones();
  product.p.set("x", 0, 0, 0x1p126), product.p.set("x", 0, 1, 0x1p126);
  EXPECT_TRUE(product.p.expected(0, 0).inside);
  product.p.set("x", 0, 2, 0x1p127);
  EXPECT_FALSE(product.p.expected(0, 0).inside);
}

TEST(W4a16Gemv, RefusalsSayWhatWouldBeRight) {
  auto why = [](int64_t k, int64_t group, int64_t n = 1) {
    Parameters p({{"m", int64_t{1}}, {"n", n}, {"k", k}, {"group", group}});
    return find<Contract>("w4a16_gemv")->refuses(p).value_or("");
  };
  EXPECT_EQ(why(64, 32), "");
  EXPECT_EQ(why(12, 8), "k=12: eight codes share a word, so k must be a multiple of 8");
  EXPECT_EQ(why(24, 12), "group=12: a word must not straddle groups, so group must be a multiple of 8");
  EXPECT_EQ(why(64, 24), "group=24 does not divide k=64");
  EXPECT_EQ(why(1 << 24, 8, 1 << 24), "m=1 n=16777216 k=16777216: more than 2^40 elements in a tensor");
}

TEST(W4a16Gemv, TensorsLieAsTheParametersSay) {
  const Posed p("w4a16_gemv",
                {{"m", int64_t{3}}, {"n", int64_t{5}}, {"k", int64_t{64}}, {"group", int64_t{16}}, {"x_pad", int64_t{1}}, {"y_pad", int64_t{2}},
                 {"w_pad", int64_t{3}}, {"scale_pad", int64_t{4}}, {"offset", int64_t{6}}, {"w_offset", int64_t{7}}},
                declared(64));
  auto spec = [&](const char* name) { return tensor(p.before, name).spec; };
  EXPECT_EQ(spec("x").shape, (std::vector<int64_t>{3, 64}));
  EXPECT_EQ(spec("w").shape, (std::vector<int64_t>{5, 8}));
  EXPECT_EQ(spec("scale").shape, (std::vector<int64_t>{5, 4}));
  EXPECT_EQ(spec("y").shape, (std::vector<int64_t>{3, 5}));
  EXPECT_EQ(spec("x").strides[0], 65);
  EXPECT_EQ(spec("w").strides[0], 11);
  EXPECT_EQ(spec("scale").strides[0], 8);
  EXPECT_EQ(spec("y").strides[0], 7);
  EXPECT_EQ(spec("x").offset, 6);
  EXPECT_EQ(spec("y").offset, 6);
  EXPECT_EQ(spec("w").offset, 7);
  EXPECT_EQ(spec("y").role, Role::output);
  EXPECT_EQ(p.contract.work(p.parameters).multiply_adds, 3 * 5 * 64);
  EXPECT_EQ(p.contract.work(p.parameters).bytes, 5 * 32 + 5 * 4 * 2 + 2 * 3 * (64 + 5));
}

}  // namespace
}  // namespace assay
