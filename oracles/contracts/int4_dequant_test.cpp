#include <cmath>

#include "oracles/contracts/test_contract.hpp"

namespace assay {
namespace {

Posed posed(const char* dtype, int64_t zero, int64_t n) {
  return Posed("int4_dequant", {{"n", n}, {"dtype", std::string(dtype)}, {"zero", zero}}, Arithmetic());
}

TEST(Int4Dequant, EveryCodeAtEveryPlaceLessEveryZeroPoint) {
  for (const char* dtype : {"bf16", "fp16"})
    for (int64_t zero = 0; zero <= 16; zero++) {
      Posed p = posed(dtype, zero, 16);
      for (int64_t word = 0; word < 16; word++)   // code 3 i + word at place i
        for (int64_t i = 0; i < 8; i++) {
          Tensor& words = tensor(p.before, "words");
          words.set_code(0, word, words.code(0, word) | uint64_t(3 * i + word) % 16 << (4 * i));
        }
      for (int64_t column = 0; column < 128; column++) {
        expect_agreement(p, 0, column, Wide((3 * (column % 8) + column / 8) % 16 - zero));
        EXPECT_EQ(p.expected(0, column).radius + p.expected(0, column).bound.total(), 0);
      }
    }
}

TEST(Int4Dequant, TheFirstCodeLiesInTheLowestBits) {
  Posed p = posed("fp16", 0, 1);
  tensor(p.before, "words").set_code(0, 0, 0x76543210);
  for (int64_t i = 0; i < 8; i++) EXPECT_EQ(p.expected(0, i).value, double(i));
}

TEST(Int4Dequant, AllDifferencesAreRepresentableAndZeroIsPositive) {
  for (const char* dtype : {"bf16", "fp16"})
    for (int difference = -16; difference < 16; difference++) {
      const Format format = *format_named(dtype);
      EXPECT_EQ(decode(format, encode(format, double(difference))), difference);
    }
  Posed p = posed("bf16", 8, 1);
  tensor(p.before, "words").set_code(0, 0, 8);
  EXPECT_FALSE(std::signbit(p.expected(0, 0).value));
  EXPECT_TRUE(p.contract.steps[0].signed_zero);
}

TEST(Int4Dequant, TheResultHasEightElementsAWord) {
  const Posed p = posed("fp16", 8, 5);
  EXPECT_EQ(tensor(p.before, "out").spec.shape, (std::vector<int64_t>{1, 40}));
  EXPECT_EQ(tensor(p.before, "out").spec.format, Format::fp16);
  EXPECT_EQ(p.contract.work(p.parameters).bytes, 5 * (4 + 16));
}

}  // namespace
}  // namespace assay
