#include "oracles/packings/awq.hpp"

#include <array>

#include "oracles/packings/test_packing.hpp"

namespace assay {
namespace {

TEST(AwqPacking, KnownWords) {
  EXPECT_EQ(packed(awq_codes(4, 1, 8), std::vector<uint8_t>{0, 1, 2, 3, 4, 5, 6, 7}), std::vector<int32_t>{0x75316420});
  EXPECT_EQ(packed(awq_codes(8, 1, 4), std::vector<uint8_t>{0x10, 0x21, 0x32, 0x43}), std::vector<int32_t>{0x43213210});
}

// AutoAWQ's packer as it is written: for each word, for i, shift column 8 c + order[i] by 4 i.
TEST(AwqPacking, IsTheOrderOfTheCheckpointsPacker) {
  constexpr std::array<size_t, 8> kOrder4 = {0, 2, 4, 6, 1, 3, 5, 7};
  constexpr std::array<size_t, 4> kOrder8 = {0, 2, 1, 3};
  for (const int bits : {4, 8}) {
    const Packing p = awq_codes(bits, 5, 64);
    const std::vector<uint8_t> codes = random_codes(p, 1);
    const size_t per_word = bits == 4 ? 8 : 4;
    std::vector<int32_t> words;
    for (size_t row = 0; row < 5; ++row)
      for (size_t c = 0; c < 64 / per_word; ++c) {
        uint32_t word = 0;
        for (size_t i = 0; i < per_word; ++i)
          word |= uint32_t{codes[64 * row + per_word * c + (bits == 4 ? kOrder4[i] : kOrder8[i])]} << (static_cast<size_t>(bits) * i);
        words.push_back(static_cast<int32_t>(word));
      }
    EXPECT_EQ(packed(p, codes), words);
  }
}

TEST(AwqPacking, EachColumnSitsInTheNibbleOfTheInverseOrder) {
  constexpr std::array<int, 8> kNibble = {0, 4, 1, 5, 2, 6, 3, 7};
  for (int64_t n = 0; n < 16; ++n) EXPECT_EQ(awq_codes(4, 1, 16).place(0, n), (Place{0, n / 8, 4 * kNibble[static_cast<size_t>(n % 8)]}));
}

TEST(AwqPacking, ZerosHaveTheSameOrder) {
  for (const int bits : {4, 8})
    for (int64_t n = 0; n < 32; ++n) EXPECT_EQ(awq_zeros(bits, 3, 32).place(2, n), awq_codes(bits, 3, 32).place(2, n));
}

TEST(AwqPacking, RefusesBadShapesInOneLine) {
  EXPECT_EQ(message([] { awq_codes(4, 16, 12); }), "awq_codes [K = 16, N = 12]: N is not a multiple of 8, the codes in a word");
  EXPECT_EQ(message([] { awq_zeros(8, 2, 6); }), "awq_zeros [groups = 2, N = 6]: N is not a multiple of 4, the codes in a word");
  EXPECT_EQ(message([] { awq_codes(2, 16, 16); }), "awq_codes: codes of 2 bits, must be 4 or 8");
  EXPECT_EQ(message([] { awq_codes(4, -16, 16); }), "awq_codes [K = -16, N = 16]: no extent may be negative");
  EXPECT_THROW(awq_codes(4, 16, 12), std::invalid_argument);
}

}  // namespace
}  // namespace assay
