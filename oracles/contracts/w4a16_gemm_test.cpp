#include "oracles/contracts/test_marlin_gemm.hpp"

namespace assay {
namespace {

Dot one_chain(int64_t k) { return {.instruction = sm_90::mma_bf16(), .chains = {{.first = 0, .end = k}}}; }
Arithmetic rounded_weights(int64_t k, Format to = Format::bf16) { return Arithmetic().with("weight", Round{to}).with("dot", one_chain(k)); }

struct Product : MarlinPosed {
  Product(const std::vector<Setting>& settings, Arithmetic declared) : MarlinPosed("w4a16_gemm", 4, settings, std::move(declared)) {}

  double weight(int64_t r, int64_t column) const { return (int(code(r, column)) - zero(group_of(r), column)) * scale(group_of(r), column); }
  Wide exact(int64_t row, int64_t column, std::optional<Format> to = {}) const {
    Wide sum = 0;
    for (int64_t r = 0; r < k; r++) {
      const double w = weight(r, column);
      sum += Wide(p.value("x", row, source_of(r))) * Wide(to ? decode(*to, encode(*to, w)) : w);
    }
    return sum;
  }
};

std::vector<Setting> shape(int64_t m, int64_t n, int64_t k, int64_t group, int64_t zeros = 0, int64_t perm = 0, int64_t g_idx = 0) {
  return {{"m", m}, {"n", n}, {"k", k}, {"group", group}, {"zeros", zeros}, {"perm", perm}, {"g_idx", g_idx}};
}

TEST(W4a16Gemm, ComputesItsFormula) {
  Random random(1);
  for (auto [k, group, zeros, perm, g_idx] : {std::array<int64_t, 5>{16, 16, 0, 0, 0}, {64, 32, 0, 0, 0}, {96, 32, 1, 0, 0}, {96, 96, 1, 0, 0}, {128, 64, 1, 1, 0},
                                              {96, 32, 1, 0, 1}, {64, 32, 0, 1, 1}, {208, 208, 0, 1, 0}}) {
    Product product(shape(2, 128, k, group, zeros, perm, g_idx), rounded_weights(k));
    product.draw(random, 8);
    for (int64_t row = 0; row < 2; row++)
      for (int64_t column : {0, 1, 7, 8, 31, 33, 63, 64, 121}) expect_agreement(product.p, row, column, product.exact(row, column, Format::bf16));
  }
}

TEST(W4a16Gemm, TheWeightIsRoundedOnlyWhereThatIsDeclared) {
  Random random(2);
  Product rounded(shape(1, 64, 64, 64), rounded_weights(64));
  rounded.draw(random, 4);
  Product whole = rounded;
  whole.p.arithmetic = Arithmetic().with("dot", one_chain(64));
  int differ = 0;
  for (int64_t column = 0; column < 64; column++) {
    expect_agreement(whole.p, 0, column, whole.exact(0, column));
    differ += whole.p.expected(0, column).value != rounded.p.expected(0, column).value;
  }
  EXPECT_GT(differ, 32);
}

TEST(W4a16Gemm, Fp16RoundsWeightsToFp16) {
  Random random(3);
  Product product({{"m", int64_t{1}}, {"n", int64_t{64}}, {"k", int64_t{32}}, {"group", int64_t{32}}, {"dtype", std::string("fp16")}},
                  Arithmetic().with("weight", Round{Format::fp16}).with("dot", Dot{.instruction = sm_90::mma_fp16(), .chains = {{0, 32}}}));
  product.draw(random, 4);
  for (int64_t column = 0; column < 64; column++) expect_agreement(product.p, 0, column, product.exact(0, column, Format::fp16));
}

TEST(W4a16Gemm, AWeightBeyondTheFormatIsInfinite) {
  Product product({{"m", int64_t{1}}, {"n", int64_t{64}}, {"k", int64_t{32}}, {"group", int64_t{32}}, {"dtype", std::string("fp16")}},
                  Arithmetic().with("weight", Round{Format::fp16}).with("dot", Dot{.instruction = sm_90::mma_fp16(), .chains = {{0, 32}}}));
  for (int64_t r = 0; r < 32; r++) product.set_code(r, 5, 8), product.p.set("x", 0, r, 1);
  product.set_scale(0, 5, 32768), product.set_code(7, 5, 9);
  EXPECT_EQ(product.p.expected(0, 5).value, 32768);
  product.set_code(7, 5, 10);
  EXPECT_EQ(product.p.expected(0, 5).value, INFINITY);
  product.set_code(9, 5, 0);
  EXPECT_TRUE(std::isnan(product.p.expected(0, 5).value));
}

TEST(W4a16Gemm, EveryElementIsBoundedByItsOwnChains) {
  Random random(4);
  auto chains = [](int64_t row, int64_t column) { return contiguous_chains(128, column < 3 ? 1 : row ? 8 : 4, 16); };
  Dot by_element{.instruction = sm_90::mma_bf16(), .chains_of = chains};
  Product product(shape(2, 64, 128, 128), Arithmetic().with("weight", Round{}).with("dot", by_element));
  product.draw(random, 4);
  const Oracle oracle = product.p.contract.steps[0].prepare(product.p.problem());
  const std::vector<int64_t> rows{0, 1}, columns{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<Expected> together(rows.size() * columns.size());
  oracle.expect(rows, columns, together);
  int inexact = 0;
  for (int64_t row : rows)
    for (int64_t column : columns) {
      Product alone = product;
      alone.p.arithmetic = Arithmetic().with("weight", Round{}).with("dot", Dot{.instruction = sm_90::mma_bf16(), .chains = chains(row, column)});
      const Expected& e = together[size_t(row) * columns.size() + size_t(column)];
      EXPECT_EQ(e.bound.total(), alone.p.expected(row, column).bound.total()) << row << ' ' << column;
      EXPECT_EQ(e.bound.total(), oracle.decide(row, column).bound.total()) << row << ' ' << column;
      EXPECT_FALSE(column < 3 && e.bound[Term::combine] > 0) << "one chain";
      inexact += e.bound[Term::combine] > 0;
    }
  EXPECT_GT(inexact, 7) << "of 14 with parts: a sum of parts may happen to be representable";
}

TEST(W4a16Gemm, NanAndInfinitiesFollowIeee754) {
  Random random(5);
  Product product(shape(2, 64, 64, 32), rounded_weights(64));
  product.draw(random, 2);
  product.set_code(3, 10, 8), product.set_code(3, 11, 9);
  product.set_scale(0, 10, 1), product.set_scale(0, 11, 1);
  product.p.set("x", 1, 3, INFINITY);
  EXPECT_TRUE(std::isfinite(product.p.expected(0, 10).value));
  EXPECT_TRUE(std::isnan(product.p.expected(1, 10).value));
  EXPECT_EQ(product.p.expected(1, 11).value, INFINITY);
  product.set_scale(1, 12, NAN);
  EXPECT_TRUE(std::isnan(product.p.expected(0, 12).value));
}

TEST(W4a16Gemm, RefusalsSayWhatWouldBeRight) {
  auto why = [](int64_t n, int64_t k, int64_t group) {
    Product product(shape(1, 64, 32, 32), rounded_weights(32));
    for (auto [name, value] : {std::pair{"n", n}, {"k", k}, {"group", group}}) product.p.parameters.set(name, value);
    return product.p.contract.refuses(product.p.parameters).value_or("");
  };
  EXPECT_EQ(why(64, 256, 64), "");
  EXPECT_EQ(why(64, 208, 208), "");
  EXPECT_EQ(why(64, 40, 40), "k=40 is not a multiple of 16: a tile has 16 rows");
  EXPECT_EQ(why(96, 64, 64), "n=96 is not a multiple of 64: a tile has 64 columns");
  EXPECT_EQ(why(64, 256, 16), "group=16 is not one of 32, 64, 128, k");
  EXPECT_EQ(why(64, 160, 64), "group=64 does not divide k=160");
}

TEST(W4a16Gemm, TensorsLieAsTheParametersSay) {
  std::vector<Setting> all = shape(3, 128, 64, 32, 1, 1, 1);
  for (auto [name, value] : {std::pair{"x_pad", 1}, {"y_pad", 2}, {"offset", 6}}) all.push_back({name, int64_t{value}});
  const Product product(all, rounded_weights(64));
  auto spec = [&](const char* name) { return product.find(name)->spec; };
  EXPECT_EQ(spec("x").shape, (std::vector<int64_t>{3, 64}));
  EXPECT_EQ(spec("w").shape, (std::vector<int64_t>{4, 256}));
  EXPECT_EQ(spec("scale").shape, (std::vector<int64_t>{2, 128}));
  EXPECT_EQ(spec("zeros").shape, (std::vector<int64_t>{2, 16}));
  EXPECT_EQ(spec("perm").shape, (std::vector<int64_t>{1, 64}));
  EXPECT_EQ(spec("g_idx").shape, (std::vector<int64_t>{1, 64}));
  EXPECT_EQ(spec("y").shape, (std::vector<int64_t>{3, 128}));
  EXPECT_EQ(spec("x").strides[0], 65);
  EXPECT_EQ(spec("y").strides[0], 130);
  EXPECT_EQ(spec("x").offset, 6);
  EXPECT_EQ(spec("y").offset, 6);
  EXPECT_EQ(product.p.contract.work(product.p.parameters).multiply_adds, 3 * 128 * 64);
  EXPECT_EQ(product.p.contract.work(product.p.parameters).bytes, 128 * 32 + 128 * 2 * 2.5 + 8 * 64 + 2 * 3 * (64 + 128));
}

}  // namespace
}  // namespace assay
