#include "oracles/contracts/test_marlin_gemm.hpp"

namespace assay {
namespace {

Arithmetic rounded_weights(int64_t k) {
  return Arithmetic().with("weight", Round{Format::bf16}).with("dot", Dot{.instruction = sm_90::mma_bf16(), .chains = {{.first = 0, .end = k}}});
}

struct Product : MarlinPosed {
  Product(int64_t m_, int64_t n_, int64_t k_, int64_t group_)
      : MarlinPosed("w8a16_fp8_gemm", 8, {{"m", m_}, {"n", n_}, {"k", k_}, {"group", group_}}, rounded_weights(k_)) {}

  /// E4M3 by its bits, without a place for NaN.
  double value(int64_t r, int64_t column) const {
    const int c = int(code(r, column)), exponent = c >> 3 & 15, fraction = c & 7;
    const double size = exponent ? std::ldexp(8 + fraction, exponent - 10) : std::ldexp(fraction, -9);
    return c & 128 ? -size : size;
  }
  Wide exact(int64_t row, int64_t column) const {
    Wide sum = 0;
    for (int64_t r = 0; r < k; r++)
      sum += Wide(p.value("x", row, r)) * Wide(decode(Format::bf16, encode(Format::bf16, value(r, column) * scale(group_of(r), column))));
    return sum;
  }
};

TEST(W8a16Fp8Gemm, ComputesItsFormula) {
  Random random(1);
  for (auto [k, group] : {std::pair{16, 16}, {256, 128}, {208, 208}, {128, 128}}) {
    Product product(2, 128, k, group);
    product.draw(random, 8);
    for (int64_t row = 0; row < 2; row++)
      for (int64_t column : {0, 1, 7, 8, 31, 33, 63, 64, 121}) expect_agreement(product.p, row, column, product.exact(row, column));
  }
}

TEST(W8a16Fp8Gemm, EveryCodeHasItsValueAndNanCodesAreFinite) {
  Product product(1, 64, 16, 16);
  product.p.set("x", 0, 0, 1);
  product.set_scale(0, 9, 2);
  for (uint64_t code = 0; code < 256; code++) {
    product.set_code(0, 9, code);
    const double want = code == 0x7F ? 480 : code == 0xFF ? -480 : decode(Format::e4m3fn, code);
    EXPECT_EQ(product.p.expected(0, 9).value, 2 * want) << code;
  }
}

TEST(W8a16Fp8Gemm, ScalesOfManyBinaryOrdersAreInside) {
  Product product(1, 64, 32, 32);
  for (int64_t r = 0; r < 32; r++) product.set_code(r, 0, 0x7E), product.p.set("x", 0, r, 1);
  for (int exponent : {-100, -30, 0, 9, 60, 110}) {
    product.set_scale(0, 0, std::ldexp(1.0, exponent));
    const Expected e = product.p.expected(0, 0);
    EXPECT_TRUE(e.inside) << exponent;
    EXPECT_EQ(e.value, std::ldexp(448.0 * 32, exponent));
  }
}

TEST(W8a16Fp8Gemm, RefusalsSayWhatWouldBeRight) {
  auto why = [](int64_t n, int64_t k, int64_t group) {
    Product product(1, 64, 32, 32);
    for (auto [name, value] : {std::pair{"n", n}, {"k", k}, {"group", group}}) product.p.parameters.set(name, value);
    return product.p.contract.refuses(product.p.parameters).value_or("");
  };
  EXPECT_EQ(why(64, 256, 128), "");
  EXPECT_EQ(why(64, 208, 208), "");
  EXPECT_EQ(why(64, 40, 40), "k=40 is not a multiple of 16: a tile has 16 rows");
  EXPECT_EQ(why(96, 64, 64), "n=96 is not a multiple of 64: a tile has 64 columns");
  EXPECT_EQ(why(64, 256, 64), "group=64 is not one of 128, k");
  EXPECT_EQ(why(64, 192, 128), "group=128 does not divide k=192");
}

TEST(W8a16Fp8Gemm, TensorsLieAsTheParametersSay) {
  const Product product(3, 128, 256, 128);
  auto spec = [&](const char* name) { return product.find(name)->spec; };
  EXPECT_EQ(spec("x").shape, (std::vector<int64_t>{3, 256}));
  EXPECT_EQ(spec("w").shape, (std::vector<int64_t>{16, 512}));
  EXPECT_EQ(spec("scale").shape, (std::vector<int64_t>{2, 128}));
  EXPECT_EQ(spec("y").shape, (std::vector<int64_t>{3, 128}));
  EXPECT_EQ(product.p.contract.work(product.p.parameters).bytes, 128 * 256 + 2 * 2 * 128 + 2 * 3 * (256 + 128));
}

}  // namespace
}  // namespace assay
