#include "oracles/packings/weight.hpp"

#include "oracles/packings/test_packing.hpp"

namespace assay {
namespace {

std::vector<WeightPacking> families(const WeightShape& s) {
  std::vector<WeightPacking> all;
  if (s.bits == 4) all.push_back(article_weight(s));
  for (const GptqVersion version : {GptqVersion::v1, GptqVersion::v2})
    all.push_back(gptq_weight(s, version)), all.push_back(exllama_weight(s, version));
  all.push_back(awq_weight(s));
  all.push_back(marlin_weight(s));
  all.push_back(marlin_weight_with_zeros(s));
  return all;
}

const std::vector<WeightShape> kShapes = {{4, 32, 64, 16}, {8, 32, 64, 16}, {4, 64, 128, -1}, {8, 64, 64, 64}, {4, 256, 192, 128}};

// One weight, written down as each family and asked the same questions, is the same weight.
TEST(WeightPacking, EveryFamilyAnswersAlikeForTheSameWeight) {
  for (const WeightShape& s : kShapes)
    for (const WeightPacking& w : families(s)) {
      SCOPED_TRACE(to_text(w));
      const std::vector<uint8_t> codes = random_codes(w.codes, 1);
      const std::vector<int32_t> words = packed(w.codes, codes);
      std::vector<uint16_t> scales(static_cast<size_t>(w.scales.entry_count()));
      std::iota(scales.begin(), scales.end(), uint16_t{100});
      const std::vector<uint16_t> elements = packed_elements<uint16_t>(w.scales, scales);
      std::vector<uint8_t> stored;
      if (w.zeros) stored = random_codes(*w.zeros, 2);
      const std::vector<int32_t> zeros = w.zeros ? packed(*w.zeros, stored) : std::vector<int32_t>();
      ASSERT_EQ(w.groups(), s.group == -1 ? 1 : s.k / s.group);
      for (int64_t k = 0; k < s.k; ++k)
        for (int64_t n = 0; n < s.n; ++n) {
          const int64_t g = k / w.group;
          ASSERT_EQ(code_at(w.codes, words, k, n), codes[static_cast<size_t>(k * s.n + n)]);
          ASSERT_EQ(elements[static_cast<size_t>(w.scales.index(g, n))], 100 + g * s.n + n);
          const int offset = w.zeros ? stored[static_cast<size_t>(g * s.n + n)] + w.zero_offset : w.zero_offset;
          ASSERT_EQ(w.zero_at(zeros, g, n), offset);
        }
    }
}

TEST(WeightPacking, ZeroPointsAreThoseOfTheFamily) {
  const WeightShape four{4, 32, 64, 16}, eight{8, 32, 64, 16};
  const std::vector<int32_t> stored(16, 0x7FFFFFFF), bytes(32, static_cast<int32_t>(0xFFFFFFFF));
  EXPECT_EQ(article_weight(four).zero_at({}, 0, 0), 8);
  EXPECT_EQ(marlin_weight(four).zero_at({}, 1, 63), 8);
  EXPECT_EQ(marlin_weight(eight).zero_at({}, 1, 63), 128);
  EXPECT_EQ(gptq_weight(four, GptqVersion::v1).zero_at(stored, 0, 0), 16);
  EXPECT_EQ(gptq_weight(four, GptqVersion::v1).zero_at(stored, 1, 7), 8);
  EXPECT_EQ(gptq_weight(four, GptqVersion::v2).zero_at(stored, 0, 0), 15);
  EXPECT_EQ(gptq_weight(eight, GptqVersion::v1).zero_at(bytes, 0, 0), 256);
  EXPECT_EQ(awq_weight(four).zero_at(stored, 0, 0), 15);
  EXPECT_EQ(marlin_weight_with_zeros(four).zero_at(stored, 0, 0), 15);
}

TEST(WeightPacking, MarlinScalesDependOnWhetherThereAreGroups) {
  EXPECT_EQ(marlin_weight({4, 128, 64, 64}).scales.name, "marlin_grouped_scales");
  EXPECT_EQ(marlin_weight({4, 128, 64, 128}).scales.name, "marlin_single_scales");
  EXPECT_EQ(marlin_weight({4, 128, 64, -1}).scales.name, "marlin_single_scales");
}

TEST(WeightPacking, RefusesBadShapesInOneLine) {
  EXPECT_EQ(message([] { awq_weight({4, 64, 64, 48}); }), "weight [K = 64, N = 64]: K is not a multiple of the group 48");
  EXPECT_EQ(message([] { awq_weight({4, 64, 64, 0}); }), "weight [K = 64, N = 64]: K is not a multiple of the group 0");
  EXPECT_EQ(message([] { article_weight({8, 64, 64, 64}); }), "article_weight: codes of 8 bits, must be 4");
  EXPECT_EQ(message([] { marlin_weight({4, 64, 64, -1}).zero_at(std::vector<int32_t>(1), 0, 0); }), "marlin stores no zero points");
}

}  // namespace
}  // namespace assay
