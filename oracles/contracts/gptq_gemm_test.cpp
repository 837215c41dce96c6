#include <algorithm>

#include "oracles/contracts/test_packed_gemm.hpp"

namespace assay {
namespace {

Combination in_fp16(bool ascending) { return {.part = Format::fp16, .sum = Format::fp16, .ascending = ascending, .into_output = true}; }

/// As exllama's kernel adds up: FP16 chains over even and odd k of eight, scaled into FP32, blocks of 128 k rounded and added in FP16.
Dot chained(int64_t k, bool ascending = true) {
  return {.instruction = packed_fp16_fma(8), .chains = contiguous_chains(k, (k + 127) / 128, 128), .promotion = {.every = 8}, .combination = in_fp16(ascending)};
}
Arithmetic few_rows(int64_t k, bool ascending = true) { return Arithmetic().with("dot", chained(k, ascending)); }
Arithmetic many_rows(int64_t k) {
  return Arithmetic().with("weight", Round{Format::fp16}).with("dot", Dot{.instruction = sm_90::mma_fp16(), .chains = {{.first = 0, .end = k}}});
}

struct Shape {
  int64_t k, group, version, act_order;
};
const Shape kShapes[] = {{8, 8, 1, 0}, {64, 16, 2, 0}, {264, 88, 1, 1}, {384, 384, 2, 1}, {320, 160, 1, 0}};

struct Product : PackedProduct {
  Product(const Shape& s, Arithmetic declared, int64_t rows = 1)
      : PackedProduct("gptq_gemm", {{"m", rows}, {"n", int64_t{16}}, {"k", s.k}, {"group", s.group}, {"version", s.version}, {"act_order", s.act_order}},
                      std::move(declared)) {
    offset = s.version == 1 ? 1 : 0;
    code_at = [](int64_t at, int64_t column) { return Nibble{at / 8, column, int(at % 8)}; };
    zero_at = [](int64_t g, int64_t column) { return Nibble{g, column / 8, int(column % 8)}; };
    if (!s.act_order) return;
    for (int64_t i = 0; i < k; i++) perm.push_back((i * 5 + 3) % k);   // 5 divides none of the k above
    for (int64_t i = 0; i < k; i++) tensor(p.before, "perm").set_code(0, i, uint64_t(perm[size_t(i)]));
  }
};

TEST(GptqGemm, ComputesItsFormula) {
  Random random(1);
  for (const Shape& s : kShapes) {
    if (s.act_order && s.k % 5 == 0) FAIL();
    for (bool rounded : {false, true}) {
      Product product(s, rounded ? many_rows(s.k) : few_rows(s.k), 2);
      product.draw(random, 2);
      for (int64_t m = 0; m < 2; m++)
        for (int64_t n : {0, 7, 8, 15}) expect_agreement(product.p, m, n, product.exact(m, n, rounded));
    }
  }
}

TEST(GptqGemm, AWordHoldsEightKFromTheLowestBitsOn) {
  Product product({8, 8, 2, 0}, many_rows(8));
  for (int64_t i = 0; i < 8; i++) product.p.set("x", 0, i, std::ldexp(1.0, int(i)));
  for (int64_t n = 0; n < 16; n++) product.p.set("scale", 0, n, 1);
  tensor(product.p.before, "w").set_code(0, 9, 0x7000000A);
  EXPECT_EQ(product.p.expected(0, 9).value, 10 + 7 * 128);
  tensor(product.p.before, "zeros").set_code(0, 1, 0x00000030);   // of column 9
  EXPECT_EQ(product.p.expected(0, 9).value, 10 + 7 * 128 - 3 * 255);
  EXPECT_EQ(product.p.expected(0, 8).value, 0);
}

TEST(GptqGemm, TheFirstVersionAddsOneAndMasksNothing) {
  Product product({8, 8, 1, 0}, many_rows(8));
  product.p.set("x", 0, 0, 1), product.p.set("scale", 0, 0, 1);
  tensor(product.p.before, "zeros").set_code(0, 0, 0xF);
  EXPECT_EQ(product.p.expected(0, 0).value, -16);
}

TEST(GptqGemm, ActOrderSendsRowsOfTheWeightToColumnsOfX) {
  Product product({264, 88, 2, 1}, few_rows(264));
  product.p.set("x", 0, 3, 1), product.set_code(0, 0, 9), product.p.set("scale", 0, 0, 0.5);   // perm[0] is 3
  EXPECT_EQ(product.perm[0], 3);
  EXPECT_EQ(product.p.expected(0, 0).value, 4.5);
}

// ---- implementations

/// The sum of one block, in FP16.
double block(const Product& product, int64_t first) {
  float sum = 0;
  for (int64_t k = first; k < std::min(first + 128, product.k); k += 8) {
    double chains[2] = {};
    for (int64_t i = 0; i < 8; i++) chains[i % 2] = to_fp16(product.step(k + i, 0) * product.x(0, k + i) + chains[i % 2]);   // exact in FP64 before it is rounded
    sum = std::fma(float(chains[0]) + float(chains[1]), float(product.scale(k, 0)), sum);
  }
  return to_fp16(sum);
}

/// Before the last rounding.
double added(std::vector<double> blocks, Random* order) {
  if (order)
    for (size_t i = blocks.size(); i > 1; i--) std::swap(blocks[i - 1], blocks[size_t(order->below(int(i)))]);
  double sum = 0;
  for (double b : blocks) sum = to_fp16(sum) + b;
  return sum;
}

double fp16_chains(const Product& product, Random* order) {
  std::vector<double> blocks;
  for (int64_t first = 0; first < product.k; first += 128) blocks.push_back(block(product, first));
  return added(std::move(blocks), order);
}

/// Small whole numbers for x: chains are exact, and what is left are the roundings of blocks.
void draw_whole(Product& product, Random& random) {
  product.draw(random, 1);
  for (int64_t i = 0; i < product.k; i++) product.p.set("x", 0, i, random.below(9) - 4);
}

int violations(const Arithmetic& declared, const Shape& shape, bool shuffled, int tries) {
  Random random(2), order(3);
  int found = 0;
  for (int i = 0; i < tries; i++) {
    Product product(shape, declared);
    i % 3 ? product.draw(random, i % 3 == 1 ? 1 : 5) : draw_whole(product, random);
    const Expected want = product.p.expected(0, 0);
    const double seen = fp16_chains(product, shuffled ? &order : nullptr);
    found += want.inside && !(shape.k <= 128 ? to_fp16(want.value - want.bound.total()) <= seen && seen <= to_fp16(want.value + want.bound.total()) : allows(want, seen));
  }
  return found;
}

TEST(GptqGemm, Fp16ChainsStayInsideTheirBound) {
  for (const Shape& s : kShapes) EXPECT_EQ(violations(few_rows(s.k), s, false, 300), 0) << s.k;
}

TEST(GptqGemm, BlocksMayBeAddedInAnyOrderIfThatIsDeclared) {
  for (const Shape& s : {Shape{384, 128, 1, 0}, Shape{1032, 8, 2, 0}}) EXPECT_EQ(violations(few_rows(s.k, false), s, true, 200), 0) << s.k;
}

TEST(GptqGemm, WhatIsLeftUndeclaredIsFoundOut) {
  Dot in_fp32 = chained(1032);
  in_fp32.combination = {};
  EXPECT_GT(violations(Arithmetic().with("dot", in_fp32), {1032, 8, 2, 0}, false, 300), 0);
  Dot wide = chained(264);
  wide.instruction.rounding = Rounding::fp32_to_nearest;
  EXPECT_GT(violations(Arithmetic().with("dot", wide), {264, 88, 2, 0}, false, 300), 0);
}

TEST(GptqGemm, TheOutputsOwnRoundingIsNotPartOfTheBound) {
  Random random(4);
  Product product({128, 128, 2, 0}, few_rows(128));
  product.draw(random, 1);
  EXPECT_EQ(product.p.expected(0, 0).bound[Term::combine], 0);
  Dot dot = chained(128);
  dot.combination.into_output = false;
  product.p.arithmetic = Arithmetic().with("dot", dot);
  EXPECT_GT(product.p.expected(0, 0).bound[Term::combine], 0);
}

// ---- the domain

TEST(GptqGemm, SparseContentsLeaveOneValueToEveryPath) {
  for (const Arithmetic& declared : {few_rows(384), few_rows(384, false), many_rows(384)}) {
    Product product({384, 384, 1, 1}, declared, 3);
    Random random(5);
    product.draw(random, 1);
    product.p.contract.exact_contents(product.p.parameters, [&](uint32_t, uint64_t) { return uint64_t(random.below(1 << 30)); }, product.p.before);
    int filled = 0;
    for (int64_t m = 0; m < 3; m++)
      for (int64_t n = 0; n < 16; n++) {
        const Expected e = product.p.expected(m, n);
        EXPECT_TRUE(e.inside);
        EXPECT_EQ(e.bound.total() + e.radius, 0);
        EXPECT_EQ(Wide(e.value), product.exact(m, n, false));
        filled += e.value != 0;
      }
    EXPECT_GT(filled, 24);
  }
}

TEST(GptqGemm, ChainsBeyondFp16AreOutsideAndMatterToThemAlone) {
  const auto inside = [](const Arithmetic& declared, double x) {
    Product product({8, 8, 1, 0}, declared);
    for (int64_t i = 0; i < 8; i += 2) product.p.set("x", 0, i, x);
    tensor(product.p.before, "zeros").set_code(0, 0, 0xF), product.p.set("scale", 0, 0, 0x1p-10);
    return product.p.expected(0, 0).inside;
  };
  EXPECT_TRUE(inside(few_rows(8), 1000));
  EXPECT_FALSE(inside(few_rows(8), 1030));   // 4 * 16 * 1030 > 65504
  EXPECT_TRUE(inside(many_rows(8), 1030));
}

TEST(GptqGemm, NanAndInfinitiesOfXFollowIeee754) {
  const auto with = [](double x, int code) {
    Product product({16, 8, 2, 0}, few_rows(16));
    for (int64_t i = 0; i < 16; i++) product.p.set("x", 0, i, 1), product.set_code(i, 0, 9);
    for (int64_t g = 0; g < 2; g++) product.p.set("scale", g, 0, 1), product.set_zero(g, 0, 8);
    product.p.set("x", 0, 3, x), product.set_code(3, 0, code);
    EXPECT_TRUE(product.p.expected(0, 0).inside);
    return product.p.expected(0, 0).value;
  };
  EXPECT_EQ(with(1, 9), 16);
  EXPECT_TRUE(std::isnan(with(NAN, 9)));
  EXPECT_TRUE(std::isnan(with(INFINITY, 8)));
  EXPECT_EQ(with(INFINITY, 9), INFINITY);
  EXPECT_EQ(with(INFINITY, 7), -INFINITY);
}

TEST(GptqGemm, WhatMayOverflowBesideAnInfinityIsOutside) {
  Product product({16, 8, 2, 0}, few_rows(16));
  product.p.set("scale", 0, 0, 1), product.p.set("scale", 1, 0, 1), product.p.set("x", 0, 0, INFINITY);
  EXPECT_TRUE(product.p.expected(0, 0).inside);
  product.p.set("x", 0, 9, 60000);
  EXPECT_FALSE(product.p.expected(0, 0).inside);
  product.p.set("x", 0, 1, NAN);
  EXPECT_TRUE(product.p.expected(0, 0).inside);
  product.p.set("x", 0, 1, 0), product.p.set("x", 0, 0, 1), product.p.set("x", 0, 9, 1), product.p.set("scale", 1, 0, INFINITY);
  EXPECT_FALSE(product.p.expected(0, 0).inside);
  product.p.set("scale", 1, 0, NAN);
  EXPECT_TRUE(product.p.expected(0, 0).inside && std::isnan(product.p.expected(0, 0).value));
}

TEST(GptqGemm, RefusalsSayWhatWouldBeRight) {
  const auto why = [](int64_t n, int64_t k, int64_t group) {
    const Posed p("gptq_gemm", {}, {});
    Parameters parameters = p.parameters;
    parameters.set("n", n), parameters.set("k", k), parameters.set("group", group);
    return p.contract.refuses(parameters).value_or("");
  };
  EXPECT_EQ(why(8, 64, 32), "");
  EXPECT_EQ(why(12, 64, 32), "n=12 is not a multiple of 8: eight columns share a word of zeros");
  EXPECT_EQ(why(8, 12, 12), "k=12 is not a multiple of 8: eight k share a word of w");
  EXPECT_EQ(why(8, 24, 12), "group=12 is not a multiple of 8: a word must not straddle groups");
  EXPECT_EQ(why(8, 64, 24), "group=24 does not divide k=64");
}

TEST(GptqGemm, TensorsLieAsTheParametersSay) {
  const Posed p("gptq_gemm",
                {{"m", int64_t{3}}, {"n", int64_t{24}}, {"k", int64_t{64}}, {"group", int64_t{16}}, {"act_order", int64_t{1}}, {"x_pad", int64_t{1}}, {"y_pad", int64_t{2}},
                 {"w_pad", int64_t{3}}, {"zeros_pad", int64_t{5}}, {"scale_pad", int64_t{4}}, {"offset", int64_t{6}}, {"w_offset", int64_t{7}}},
                few_rows(64));
  const auto spec = [&](const char* name) { return tensor(p.before, name).spec; };
  EXPECT_EQ(spec("w").shape, (std::vector<int64_t>{8, 24}));
  EXPECT_EQ(spec("zeros").shape, (std::vector<int64_t>{4, 3}));
  EXPECT_EQ(spec("scale").shape, (std::vector<int64_t>{4, 24}));
  EXPECT_EQ(spec("perm").width(), 64);
  EXPECT_EQ(spec("x").strides[0], 65);
  EXPECT_EQ(spec("y").strides[0], 26);
  EXPECT_EQ(spec("w").strides[0], 27);
  EXPECT_EQ(spec("zeros").strides[0], 8);
  EXPECT_EQ(spec("scale").strides[0], 28);
  EXPECT_EQ(spec("y").offset, 6);
  EXPECT_EQ(spec("w").offset, 7);
  EXPECT_EQ(p.contract.work(p.parameters).bytes, 24 * 32 + 4 * 24 * 2 + 4 * 24 / 2 + 64 * 4 + 2 * 3 * (64 + 24));
}

}  // namespace
}  // namespace assay
