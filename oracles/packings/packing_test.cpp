#include "oracles/packings/packing.hpp"

#include <set>
#include <tuple>

#include "oracles/packings/article.hpp"
#include "oracles/packings/awq.hpp"
#include "oracles/packings/gptq.hpp"
#include "oracles/packings/marlin.hpp"
#include "oracles/packings/test_packing.hpp"

namespace assay {
namespace {

/// Every packing in several shapes, one tile and less up to a few.
std::vector<Packing> all_packings() {
  std::vector<Packing> all;
  for (const auto& [k, n] : {std::pair<int64_t, int64_t>{8, 1}, {16, 3}, {64, 5}, {256, 24}}) all.push_back(article_codes(k, n));
  for (const int bits : {4, 8}) {
    for (const auto& [k, n] : {std::pair<int64_t, int64_t>{8, 1}, {16, 3}, {40, 72}, {256, 8}}) {
      all.push_back(gptq_codes(bits, k, n));
      all.push_back(exllama_codes(bits, k, n));
    }
    for (const auto& [rows, n] : {std::pair<int64_t, int64_t>{1, 8}, {3, 16}, {7, 72}, {40, 256}}) {
      all.push_back(gptq_zeros(bits, rows, n));
      all.push_back(awq_codes(bits, rows, n));
      all.push_back(awq_zeros(bits, rows, n));
    }
    for (const auto& [k, n] : {std::pair<int64_t, int64_t>{16, 64}, {32, 64}, {16, 128}, {48, 192}, {128, 320}}) {
      all.push_back(marlin_codes(bits, k, n));
      all.push_back(marlin_zeros(bits, k / 16, n));
    }
  }
  for (const auto& [groups, n] : {std::pair<int64_t, int64_t>{1, 64}, {3, 128}, {7, 192}}) all.push_back(marlin_grouped_scales(groups, n));
  for (const int64_t n : {32, 64, 96, 320}) all.push_back(marlin_single_scales(n));
  for (const auto& [groups, n] : {std::pair<int64_t, int64_t>{1, 1}, {3, 5}, {7, 2}}) {
    all.push_back(plain_elements(groups, n));
    all.push_back(transposed_elements(groups, n));
  }
  return all;
}

TEST(Packing, IsABijectionBetweenEntriesAndPlaces) {
  for (const Packing& p : all_packings()) {
    SCOPED_TRACE(to_text(p));
    ASSERT_EQ(p.entry_count(), p.word_count() * p.per_word());
    std::set<std::tuple<int64_t, int64_t, int>> places;
    for (int64_t row = 0; row < p.rows; ++row)
      for (int64_t column = 0; column < p.columns; ++column) {
        const Place at = p.place(row, column);
        ASSERT_EQ(p.entry(at), (Entry{row, column}));
        ASSERT_EQ(p.index(row, column), at.row * p.word_columns + at.column);
        ASSERT_TRUE(places.insert({at.row, at.column, at.shift}).second);
      }
    for (const auto& [row, column, shift] : places) ASSERT_TRUE(row < p.word_rows && column < p.word_columns && shift < 32);
  }
}

TEST(Packing, PlacesAndEntriesInvertEachOtherFromTheOtherSide) {
  for (const Packing& p : all_packings())
    for (int64_t row = 0; row < p.word_rows; ++row)
      for (int64_t column = 0; column < p.word_columns; ++column)
        for (int slot = 0; slot < p.per_word(); ++slot) {
          const Place at{row, column, slot * p.bits};
          const Entry e = p.entry(at);
          ASSERT_EQ(p.place(e.row, e.column), at) << to_text(p);
        }
}

TEST(Packing, RoundTripsFromCodesAndFromWords) {
  for (const Packing& p : all_packings()) {
    if (p.bits == 0) continue;
    SCOPED_TRACE(to_text(p));
    for (uint64_t seed = 0; seed < 10; ++seed) {
      const std::vector<uint8_t> codes = random_codes(p, seed);
      ASSERT_EQ(unpacked(p, packed(p, codes)), codes);
      const std::vector<int32_t> words = random_words(p, seed);
      ASSERT_EQ(packed(p, unpacked(p, words)), words);
    }
  }
}

TEST(Packing, ACodeAloneChangesItsOwnBitsAlone) {
  for (const Packing& p : all_packings()) {
    if (p.bits == 0 || p.entry_count() > 4096) continue;
    std::vector<uint8_t> codes(static_cast<size_t>(p.entry_count()));
    for (size_t i = 0; i < codes.size(); i += 7) {
      codes[i] = static_cast<uint8_t>(p.mask());
      std::vector<int32_t> words(static_cast<size_t>(p.word_count()));
      const Place at = p.place(static_cast<int64_t>(i) / p.columns, static_cast<int64_t>(i) % p.columns);
      words[static_cast<size_t>(at.row * p.word_columns + at.column)] = static_cast<int32_t>(p.mask() << at.shift);
      ASSERT_EQ(packed(p, codes), words) << to_text(p);
      codes[i] = 0;
    }
  }
}

TEST(Packing, OneCodeIsWhatUnpackingFindsThere) {
  for (const Packing& p : all_packings()) {
    if (p.bits == 0) continue;
    const std::vector<int32_t> words = random_words(p, 5);
    const std::vector<uint8_t> codes = unpacked(p, words);
    for (int64_t row = 0; row < p.rows; ++row)
      for (int64_t column = 0; column < p.columns; ++column)
        ASSERT_EQ(code_at(p, words, row, column), codes[static_cast<size_t>(row * p.columns + column)]) << to_text(p);
  }
}

TEST(Packing, ElementsRoundTrip) {
  for (const Packing& p : all_packings()) {
    if (p.bits != 0) continue;
    std::vector<uint16_t> natural(static_cast<size_t>(p.entry_count()));
    std::iota(natural.begin(), natural.end(), uint16_t{0});
    const std::vector<uint16_t> elements = packed_elements<uint16_t>(p, natural);
    ASSERT_EQ(unpacked_elements<uint16_t>(p, elements), natural) << to_text(p);
    for (int64_t row = 0; row < p.rows; ++row)
      for (int64_t column = 0; column < p.columns; ++column)
        ASSERT_EQ(elements[static_cast<size_t>(p.index(row, column))], row * p.columns + column) << to_text(p);
  }
}

TEST(Packing, ElementsStandWhereTheyAreOrTransposed) {
  const std::vector<int> natural = {0, 1, 2, 3, 4, 5};
  EXPECT_EQ(packed_elements<int>(plain_elements(2, 3), natural), natural);
  EXPECT_EQ(packed_elements<int>(transposed_elements(2, 3), natural), (std::vector<int>{0, 3, 1, 4, 2, 5}));
}

TEST(Packing, EmptyShapesHoldNothing) {
  for (const Packing& p : {article_codes(8, 0), gptq_codes(4, 0, 3), awq_codes(4, 0, 8), marlin_codes(8, 16, 0), marlin_zeros(4, 0, 64)})
    EXPECT_TRUE(packed(p, {}).empty()) << to_text(p);
}

TEST(Packing, RefusesLengthsAndCodesThatDoNotFitAndWritesNothing) {
  const Packing p = gptq_codes(4, 8, 2);
  EXPECT_EQ(message([&] { packed(p, std::vector<uint8_t>(15)); }), "15 codes given where the shape has 16");
  EXPECT_EQ(message([&] { unpacked(p, std::vector<int32_t>(3)); }), "3 words given where the shape has 2");
  std::vector<uint8_t> wide(16);
  wide[7] = 16;
  std::vector<int32_t> words = {1, 2};
  EXPECT_EQ(message([&] { pack(p, wide, words); }), "code 16 at [3, 1] does not fit 4 bits");
  EXPECT_EQ(words, (std::vector<int32_t>{1, 2}));
  std::vector<uint8_t> few(3, 9);
  EXPECT_EQ(message([&] { unpack(p, words, few); }), "3 codes given where the shape has 16");
  EXPECT_EQ(few, std::vector<uint8_t>(3, 9));
  EXPECT_EQ(message([] { packed_elements<float>(plain_elements(2, 2), std::vector<float>(3)); }), "3 entries given where the shape has 4");
  EXPECT_EQ(message([&] { packed_elements<float>(p, std::vector<float>(16)); }), "gptq_codes holds codes, not whole elements");
  EXPECT_EQ(message([] { packed(plain_elements(1, 1), std::vector<uint8_t>(1)); }), "plain_elements holds whole elements, not codes");
  EXPECT_EQ(message([] { plain_elements(-1, 1); }), "plain_elements [-1, 1]: no extent may be negative");
}

TEST(Packing, PlacesOutsideAreRefused) {
  const Packing p = awq_codes(8, 2, 4);
  EXPECT_THROW(p.place(2, 0), std::out_of_range);
  EXPECT_THROW(p.place(0, 4), std::out_of_range);
  EXPECT_THROW(p.place(-1, 0), std::out_of_range);
  EXPECT_THROW(p.entry({0, 1, 0}), std::out_of_range);
  EXPECT_THROW(p.entry({0, 0, 4}), std::out_of_range);
  EXPECT_THROW(p.entry({0, 0, 32}), std::out_of_range);
  EXPECT_THROW(plain_elements(1, 1).entry({0, 0, 1}), std::out_of_range);
  EXPECT_EQ(message([&] { p.place(0, 4); }), "[0, 4] is outside awq_codes [2, 4] of 8 bits in [2, 1]");
  EXPECT_THROW(code_at(p, std::vector<int32_t>(2), 0, 4), std::out_of_range);
}

}  // namespace
}  // namespace assay
