#include "oracles/contracts/test_packed_gemm.hpp"

namespace assay {
namespace {

constexpr int kPlaceOfColumn[8] = {0, 4, 1, 5, 2, 6, 3, 7};

/// Tiles of 32 k dealt to the parts in turn; parts rounded to FP16, added in FP32.
Arithmetic split(int64_t k, int64_t parts) {
  Dot dot{.instruction = sm_90::mma_fp16(), .combination = {.part = parts > 1 ? Format::fp16 : Format::fp32}};
  for (int64_t part = 0; part < parts; part++) dot.chains.push_back({.first = 32 * part, .end = k, .width = 32, .stride = 32 * parts});
  return Arithmetic().with("weight", Round{Format::fp16}).with("dot", dot);
}

struct Product : PackedProduct {
  Product(int64_t k_, int64_t group_, Arithmetic declared, int64_t rows = 1)
      : PackedProduct("awq_gemm", {{"m", rows}, {"n", int64_t{16}}, {"k", k_}, {"group", group_}}, std::move(declared)) {
    code_at = [](int64_t at, int64_t column) { return Nibble{at, column / 8, kPlaceOfColumn[column % 8]}; };
    zero_at = code_at;
  }
};

TEST(AwqGemm, ComputesItsFormulaOnRoundedWeights) {
  Random random(1);
  for (auto [k, group, parts] : {std::tuple{32, 32, 1}, {96, 32, 2}, {256, 64, 8}, {160, 160, 5}}) {
    Product product(k, group, split(k, parts), 2);
    product.draw(random, 2);
    for (int64_t m = 0; m < 2; m++)
      for (int64_t n = 0; n < 16; n += 3) expect_agreement(product.p, m, n, product.exact(m, n, true));
  }
}

TEST(AwqGemm, AWordHoldsEvenColumnsInItsLowerHalf) {
  Product product(32, 32, split(32, 1));
  product.p.set("x", 0, 1, 1);
  for (int64_t n = 0; n < 16; n++) product.p.set("scale", 0, n, 1);
  tensor(product.p.before, "w").set_code(1, 1, 0x76543210), tensor(product.p.before, "zeros").set_code(0, 1, 0x10000000);
  for (int64_t n = 8; n < 16; n++) EXPECT_EQ(product.p.expected(0, n).value, kPlaceOfColumn[n - 8] - (n == 15)) << n;
}

TEST(AwqGemm, NothingIsAddedToZeroPoints) {
  Product product(32, 32, split(32, 1));
  product.p.set("x", 0, 0, 1), product.p.set("scale", 0, 0, 1), product.set_zero(0, 0, 15);
  EXPECT_EQ(product.p.expected(0, 0).value, -15);
}

// ---- implementations

/// An implementation whose sums of the parts are right to FP32's last bits, before the last rounding.
double split_sum(const Product& product, int64_t parts, bool rounded_weight) {
  float total = 0;
  for (int64_t part = 0; part < parts; part++) {
    double sum = 0;
    for (int64_t k = 0; k < product.k; k++)
      if (k / 32 % parts == part) sum += product.x(0, k) * (rounded_weight ? product.weight(k, 0) : product.step(k, 0) * product.scale(k, 0));
    total += float(parts > 1 ? to_fp16(sum) : sum);
  }
  return total;
}

int violations(int64_t declared_parts, int64_t parts, bool rounded_weight) {
  Random random(2);
  int found = 0;
  for (int i = 0; i < 500; i++) {
    Product product(256, 64, split(256, declared_parts));
    product.draw(random, i % 2 ? 1 : 4);
    const Expected want = product.p.expected(0, 0);
    found += !want.inside || !allows(want, split_sum(product, parts, rounded_weight));
  }
  return found;
}

TEST(AwqGemm, SplitSumsStayInsideTheBoundOfTheirParts) {
  for (int64_t parts : {1, 2, 3, 8}) EXPECT_EQ(violations(parts, parts, true), 0) << parts;
}

TEST(AwqGemm, UndeclaredPartsAndUnroundedWeightsAreFoundOut) {
  EXPECT_GT(violations(1, 8, true), 0);
  EXPECT_GT(violations(1, 1, false), 0);
}

TEST(AwqGemm, SparseContentsLeaveOneValue) {
  for (int64_t parts : {1, 3, 8}) {
    Product product(256, 64, split(256, parts), 3);
    Random random(5);
    product.draw(random, 1);
    product.p.contract.exact_contents(product.p.parameters, [&](uint32_t, uint64_t) { return uint64_t(random.below(1 << 30)); }, product.p.before);
    for (int64_t m = 0; m < 3; m++)
      for (int64_t n = 0; n < 16; n++) {
        EXPECT_EQ(product.p.expected(m, n).bound.total(), 0);
        EXPECT_EQ(Wide(product.p.expected(m, n).value), product.exact(m, n, false));
      }
  }
}

TEST(AwqGemm, WeightsBeyondFp16AreOutside) {
  Product product(32, 32, split(32, 1));
  product.p.set("x", 0, 0, 1), product.p.set("scale", 0, 0, 4000);
  EXPECT_TRUE(product.p.expected(0, 0).inside);
  product.p.set("scale", 0, 0, 5000);
  EXPECT_FALSE(product.p.expected(0, 0).inside);
}

TEST(AwqGemm, RefusalsSayWhatWouldBeRight) {
  const auto why = [](int64_t n, int64_t k, int64_t group) {
    const Posed p("awq_gemm", {}, {});
    Parameters parameters = p.parameters;
    parameters.set("n", n), parameters.set("k", k), parameters.set("group", group);
    return p.contract.refuses(parameters).value_or("");
  };
  EXPECT_EQ(why(8, 64, 32), "");
  EXPECT_EQ(why(12, 64, 32), "n=12 is not a multiple of 8: eight columns share a word of zeros");
  EXPECT_EQ(why(8, 40, 8), "k=40 is not a multiple of 32: k is summed in tiles of 32");
  EXPECT_EQ(why(8, 64, 16), "group=16 is not a multiple of 32: a tile of k must not straddle groups");
  EXPECT_EQ(why(8, 96, 64), "group=64 does not divide k=96");
}

TEST(AwqGemm, TensorsLieAsTheParametersSay) {
  const Posed p("awq_gemm",
                {{"m", int64_t{3}}, {"n", int64_t{24}}, {"k", int64_t{64}}, {"group", int64_t{32}}, {"x_pad", int64_t{1}}, {"y_pad", int64_t{2}}, {"w_pad", int64_t{3}},
                 {"zeros_pad", int64_t{5}}, {"scale_pad", int64_t{4}}, {"offset", int64_t{6}}, {"w_offset", int64_t{7}}},
                split(64, 2));
  const auto spec = [&](const char* name) { return tensor(p.before, name).spec; };
  EXPECT_EQ(spec("w").shape, (std::vector<int64_t>{64, 3}));
  EXPECT_EQ(spec("zeros").shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(spec("scale").shape, (std::vector<int64_t>{2, 24}));
  EXPECT_EQ(spec("w").strides[0], 6);
  EXPECT_EQ(spec("zeros").strides[0], 8);
  EXPECT_EQ(spec("scale").strides[0], 28);
  EXPECT_EQ(spec("x").offset, 6);
  EXPECT_EQ(spec("w").offset, 7);
  EXPECT_EQ(p.contract.work(p.parameters).bytes, 24 * 32 + 2 * 24 * 2 + 2 * 24 / 2 + 2 * 3 * (64 + 24));
}

}  // namespace
}  // namespace assay
