#include "oracles/packings/gptq.hpp"

#include <algorithm>

#include "oracles/packings/test_packing.hpp"

namespace assay {
namespace {

std::vector<uint8_t> counted(int64_t n) {
  std::vector<uint8_t> codes(static_cast<size_t>(n));
  std::iota(codes.begin(), codes.end(), uint8_t{0});
  return codes;
}

TEST(GptqPacking, AWordHoldsConsecutiveKOfOneColumn) {
  // codes [k][n] = 2 k + n mod 16
  EXPECT_EQ(packed(gptq_codes(4, 8, 1), counted(8)), std::vector<int32_t>{0x76543210});
  std::vector<uint8_t> two = counted(16);
  EXPECT_EQ(packed(gptq_codes(4, 8, 2), two), (std::vector<int32_t>{static_cast<int32_t>(0xECA86420), static_cast<int32_t>(0xFDB97531)}));
  EXPECT_EQ(packed(gptq_codes(8, 4, 2), counted(8)), (std::vector<int32_t>{0x06040200, 0x07050301}));
}

TEST(GptqPacking, ZerosHoldConsecutiveColumnsOfOneGroup) {
  EXPECT_EQ(packed(gptq_zeros(4, 1, 8), counted(8)), std::vector<int32_t>{0x76543210});
  EXPECT_EQ(packed(gptq_zeros(8, 2, 4), counted(8)), (std::vector<int32_t>{0x03020100, 0x07060504}));
}

TEST(GptqPacking, VersionOneAddsOneAndMasksNothing) {
  EXPECT_EQ(gptq_zero(GptqVersion::v1, 7), 8);
  EXPECT_EQ(gptq_zero(GptqVersion::v1, 15), 16);
  EXPECT_EQ(gptq_zero(GptqVersion::v1, 255), 256);
  EXPECT_EQ(gptq_zero(GptqVersion::v2, 8), 8);
  EXPECT_EQ(gptq_zero(GptqVersion::v2, 15), 15);
}

TEST(GptqPacking, TheLargestStoredZeroIsFlaggedWhereverItStands) {
  for (int shift = 0; shift < 32; shift += 4)
    EXPECT_TRUE(has_divergent_zero(4, std::vector<int32_t>{0x01234567, static_cast<int32_t>(15u << shift)}));
  for (int shift = 0; shift < 32; shift += 8) EXPECT_TRUE(has_divergent_zero(8, std::vector<int32_t>{static_cast<int32_t>(255u << shift)}));
  EXPECT_FALSE(has_divergent_zero(4, std::vector<int32_t>{static_cast<int32_t>(0xEEEEEEEE), 0, 0x78787878}));
  EXPECT_FALSE(has_divergent_zero(8, std::vector<int32_t>{0x0FF00FF0, static_cast<int32_t>(0xF0FEFE0F)}));
  EXPECT_FALSE(has_divergent_zero(4, {}));
}

// The loop of the exllama kernels' loader: take two nibbles a step, the first of them to the low half and the second to the high half.
uint32_t shuffled(uint32_t word) {
  uint32_t low = 0, high = 0;
  for (int step = 0; step < 4; ++step, word >>= 8) low |= (word & 15) << (4 * step), high |= (word >> 4 & 15) << (4 * step);
  return high << 16 | low;
}

TEST(ExllamaPacking, PutsEvenKInTheLowHalfAndOddInTheHigh) {
  EXPECT_EQ(packed(exllama_codes(4, 8, 1), counted(8)), std::vector<int32_t>{0x75316420});
  const Packing straight = gptq_codes(4, 64, 5), shuffle = exllama_codes(4, 64, 5);
  const std::vector<int32_t> words = random_words(straight, 1);
  std::vector<int32_t> expected;
  for (const int32_t word : words) expected.push_back(static_cast<int32_t>(shuffled(static_cast<uint32_t>(word))));
  EXPECT_EQ(packed(shuffle, unpacked(straight, words)), expected);
}

// One mask gives a half2: the pair (2j, 2j + 1) lies 16 bits apart at bits 4 j.
TEST(ExllamaPacking, OneMaskYieldsNeighbouringK) {
  const uint32_t word = static_cast<uint32_t>(packed(exllama_codes(4, 8, 1), counted(8))[0]);
  for (uint32_t pair = 0; pair < 4; ++pair) EXPECT_EQ(word >> (4 * pair) & 0x000F000F, (2 * pair + 1) << 16 | 2 * pair);
}

TEST(ExllamaPacking, EightBitCodesStayWhereTheyAre) {
  const Packing straight = gptq_codes(8, 32, 3), shuffle = exllama_codes(8, 32, 3);
  const std::vector<int32_t> words = random_words(straight, 2);
  EXPECT_EQ(packed(shuffle, unpacked(straight, words)), words);
}

TEST(GptqPacking, RefusesBadShapesInOneLine) {
  EXPECT_EQ(message([] { gptq_codes(4, 12, 8); }), "gptq_codes [K = 12, N = 8]: K is not a multiple of 8, the codes in a word");
  EXPECT_EQ(message([] { gptq_codes(8, 6, 8); }), "gptq_codes [K = 6, N = 8]: K is not a multiple of 4, the codes in a word");
  EXPECT_EQ(message([] { gptq_codes(3, 8, 8); }), "gptq_codes: codes of 3 bits, must be 4 or 8");
  EXPECT_EQ(message([] { exllama_codes(4, 8, -1); }), "exllama_codes [K = 8, N = -1]: no extent may be negative");
  EXPECT_EQ(message([] { gptq_zeros(4, 2, 12); }), "gptq_zeros [groups = 2, N = 12]: N is not a multiple of 8, the zeros in a word");
  EXPECT_EQ(message([] { has_divergent_zero(5, {}); }), "qzeros: codes of 5 bits, must be 4 or 8");
  EXPECT_THROW(gptq_codes(4, 12, 8), std::invalid_argument);
}

// ---- act-order

TEST(ActOrder, SortsByGroupAndKeepsKAscendingWithinOne) {
  EXPECT_EQ(act_order(std::vector<int32_t>{1, 0, 1, 0, 2, 0}, 3), (std::vector<int32_t>{1, 3, 5, 0, 2, 4}));
  for (uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<int32_t> g_idx = group_index(256, 32);
    std::shuffle(g_idx.begin(), g_idx.end(), std::mt19937_64(seed));
    const std::vector<int32_t> order = act_order(g_idx, 8);
    check_permutation(order);
    for (size_t j = 0; j < order.size(); ++j) {
      ASSERT_EQ(g_idx[static_cast<size_t>(order[j])], static_cast<int32_t>(j / 32));
      ASSERT_TRUE(j % 32 == 0 || order[j - 1] < order[j]);
    }
  }
}

TEST(ActOrder, OfASortedIndexIsTheIdentity) {
  EXPECT_EQ(group_index(8, 4), (std::vector<int32_t>{0, 0, 0, 0, 1, 1, 1, 1}));
  std::vector<int32_t> identity(64);
  std::iota(identity.begin(), identity.end(), 0);
  EXPECT_EQ(act_order(group_index(64, 16), 4), identity);
}

// The weight sorted by group, times activations gathered in the same order, is the sum over the original k.
TEST(ActOrder, SortedRowsMeetTheSameActivations) {
  std::vector<int32_t> g_idx = group_index(64, 16);
  std::shuffle(g_idx.begin(), g_idx.end(), std::mt19937_64(3));
  const std::vector<int32_t> order = act_order(g_idx, 4);
  const std::vector<uint8_t> codes = random_codes(gptq_codes(4, 64, 3), 4);
  const std::vector<uint8_t> sorted = permuted_rows(codes, 3, order);
  for (size_t n = 0; n < 3; ++n) {
    int64_t straight = 0, gathered = 0;
    for (size_t k = 0; k < 64; ++k) straight += static_cast<int64_t>(k * k) * codes[3 * k + n] * (g_idx[k] + 1);
    for (size_t j = 0; j < 64; ++j) gathered += int64_t{order[j]} * order[j] * sorted[3 * j + n] * (static_cast<int64_t>(j) / 16 + 1);
    EXPECT_EQ(straight, gathered);
  }
}

TEST(Permutations, AreUndoneByTheirInverse) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<int32_t> order = random_permutation(37, seed), back = inverse_permutation(order);
    for (size_t i = 0; i < order.size(); ++i) ASSERT_EQ(back[static_cast<size_t>(order[i])], static_cast<int32_t>(i));
    const std::vector<uint8_t> codes = counted(37 * 5);
    ASSERT_EQ(permuted_rows(permuted_rows(codes, 5, order), 5, back), codes);
  }
}

TEST(Permutations, RowJIsTheSourcesRowPermutationOfJ) {
  EXPECT_EQ(permuted_rows(counted(6), 2, std::vector<int32_t>{2, 0, 1}), (std::vector<uint8_t>{4, 5, 0, 1, 2, 3}));
}

TEST(Permutations, AreCheckedInOneLine) {
  EXPECT_EQ(message([] { check_permutation(std::vector<int32_t>{0, 2}); }), "permutation[1] is 2, must be in 0 .. 1");
  EXPECT_EQ(message([] { check_permutation(std::vector<int32_t>{0, -1}); }), "permutation[1] is -1, must be in 0 .. 1");
  EXPECT_EQ(message([] { check_permutation(std::vector<int32_t>{1, 1}); }), "permutation[1] is 1, which stood there before");
  EXPECT_EQ(message([] { act_order(std::vector<int32_t>{0, 3}, 3); }), "g_idx[1] is 3, must be a group in 0 .. 2");
  EXPECT_EQ(message([] { group_index(10, 4); }), "K = 10 is not a multiple of the group 4");
  EXPECT_EQ(message([] { permuted_rows(counted(5), 2, std::vector<int32_t>{0, 1}); }), "5 codes given where the shape has 4");
}

}  // namespace
}  // namespace assay
