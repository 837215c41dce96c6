#include "oracles/packings/article.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>

#include "oracles/formats/format.hpp"

namespace assay {
namespace {

constexpr double kScaleError = 0x1p-8 / (1 + 0x1p-8);  // round to nearest at 8 significant bits, relative to the value before

std::vector<uint8_t> random_codes(int64_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint8_t> codes(static_cast<size_t>(count));
  for (uint8_t& code : codes) code = random() % 16;
  return codes;
}

std::vector<float> random_weight(const ArticleShape& shape, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<float> weight(static_cast<size_t>(shape.rows * shape.columns));
  for (float& w : weight) w = std::ldexp(static_cast<float>(static_cast<int32_t>(random() >> 32)), -static_cast<int>(30 + random() % 6));
  return weight;
}

std::string message(auto&& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing thrown";
}

const std::vector<ArticleShape> kShapes = {{1, 8, 8}, {3, 16, 8}, {2, 64, 32}, {5, 256, 128}, {7, 24, 24}, {64, 512, 64}};

TEST(ArticlePacking, the_first_code_lies_in_the_lowest_bits) {
  EXPECT_EQ(ArticlePacking(1, 8).packed(std::vector<uint8_t>{0, 1, 2, 3, 4, 5, 6, 7}), std::vector<int32_t>{0x76543210});
  EXPECT_EQ(ArticlePacking(1, 8).packed(std::vector<uint8_t>{1, 0, 0, 0, 0, 0, 0, 15}),
            std::vector<int32_t>{static_cast<int32_t>(0xF0000001)});
}

TEST(ArticlePacking, every_code_at_every_place_of_a_word_takes_its_four_bits_alone) {
  const ArticlePacking packing(2, 16);
  for (size_t place = 0; place < 32; ++place)
    for (uint32_t code = 0; code < 16; ++code) {
      std::vector<uint8_t> codes(32);
      codes[place] = static_cast<uint8_t>(code);
      std::vector<int32_t> words(4);
      words[place / 8] = static_cast<int32_t>(code << (4 * (place % 8)));
      ASSERT_EQ(packing.packed(codes), words);
      ASSERT_EQ(packing.unpacked(words), codes);
      for (size_t other = 0; other < 32; ++other)
        ASSERT_EQ(packing.code_at(words, static_cast<int64_t>(other / 16), static_cast<int64_t>(other % 16)), codes[other]);
    }
}

TEST(ArticlePacking, round_trips_both_ways) {
  for (const ArticleShape& shape : kShapes)
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const ArticlePacking packing(shape.rows, shape.columns);
      const std::vector<uint8_t> codes = random_codes(packing.code_count(), seed);
      const std::vector<int32_t> words = packing.packed(codes);
      ASSERT_EQ(packing.unpacked(words), codes);
      ASSERT_EQ(packing.packed(packing.unpacked(words)), words);
    }
  EXPECT_TRUE(ArticlePacking(0, 8).packed({}).empty());
}

TEST(ArticlePacking, refuses_what_does_not_fit_in_one_line) {
  EXPECT_EQ(message([] { ArticlePacking(1, 12); }), "K = 12 is not a multiple of 8, the codes in a word");
  EXPECT_EQ(message([] { ArticlePacking(-1, 8); }), "N = -1 and K = 8 must not be negative");
  EXPECT_EQ(message([] { ArticlePacking(1, 8).packed(std::vector<uint8_t>(7)); }), "7 codes given where the shape has 8");
  EXPECT_EQ(message([] { ArticlePacking(1, 8).unpacked(std::vector<int32_t>(2)); }), "2 words given where the shape has 1");
  EXPECT_EQ(message([] { ArticlePacking(2, 8).packed(std::vector<uint8_t>(16, 16)); }), "code 16 at n = 0, k = 0 does not fit 4 bits");
  EXPECT_THROW(ArticlePacking(1, 8).code_at(std::vector<int32_t>(1), 0, 8), std::out_of_range);
  EXPECT_THROW(ArticlePacking(1, 12), std::invalid_argument);
}

TEST(ArticleQuantiser, example_by_hand) {
  const std::vector<float> weight = {7, -7, 3.5f, 2.5f, -0.5f, 0.5000001f, 0, -6.6f};
  const Quantised q = quantise_article(weight, {1, 8, 8});
  EXPECT_EQ(q.scale_fp32, std::vector<float>{1});
  EXPECT_EQ(q.scale_bf16, std::vector<uint16_t>{0x3F80});
  EXPECT_EQ(ArticlePacking(1, 8).unpacked(q.packed), (std::vector<uint8_t>{15, 1, 12, 10, 8, 9, 8, 1}));
  EXPECT_EQ(dequantised(q.packed, q.scale_bf16, {1, 8, 8}), (std::vector<double>{7, -7, 4, 2, 0, 1, 0, -7}));
}

TEST(ArticleQuantiser, follows_the_article_step_by_step) {
  for (const ArticleShape& shape : kShapes) {
    const std::vector<float> weight = random_weight(shape, 5);
    const Quantised q = quantise_article(weight, shape);
    const ArticlePacking packing(shape.rows, shape.columns);
    for (int64_t n = 0; n < shape.rows; ++n)
      for (int64_t k = 0; k < shape.columns; ++k) {
        const float* group = &weight[static_cast<size_t>(n * shape.columns + k / shape.group * shape.group)];
        const float largest =
            std::accumulate(group, group + shape.group, 0.0f, [](float m, float w) { return std::fmax(m, std::fabs(w)); });
        const float scale = std::fmax(largest / 7.0f, 1e-8f), w = weight[static_cast<size_t>(n * shape.columns + k)];
        const float code = std::fmin(std::fmax(std::nearbyint(w / scale) + 8.0f, 0.0f), 15.0f);
        ASSERT_EQ(packing.code_at(q.packed, n, k), code);
        ASSERT_EQ(q.scale_fp32[static_cast<size_t>(n * (shape.columns / shape.group) + k / shape.group)], scale);
      }
  }
}

TEST(ArticleQuantiser, a_zero_group_gets_the_smallest_scale_and_never_code_zero) {
  const Quantised q = quantise_article(std::vector<float>(8), {1, 8, 8});
  EXPECT_EQ(q.scale_fp32, std::vector<float>{1e-8f});
  EXPECT_EQ(q.packed, std::vector<int32_t>{static_cast<int32_t>(0x88888888)});
  const ArticleShape shape{64, 512, 64};
  for (const uint8_t code : ArticlePacking(64, 512).unpacked(quantise_article(random_weight(shape, 6), shape).packed)) ASSERT_GE(code, 1);
}

TEST(ArticleQuantiser, a_reference_with_the_fp32_scale_is_off_by_up_to_1_in_257) {
  const std::vector<float> worst(8, 7 * (1 + 0x1p-8f));
  const Quantised tie = quantise_article(worst, {1, 8, 8});
  EXPECT_EQ(tie.scale_fp32[0], 1 + 0x1p-8f);
  EXPECT_EQ(decode(Format::bf16, tie.scale_bf16[0]), 1);
  EXPECT_EQ(kScaleError, 1.0 / 257);

  const ArticleShape shape{64, 512, 8};
  const Quantised q = quantise_article(random_weight(shape, 7), shape);
  double largest = 0;
  for (size_t i = 0; i < q.scale_fp32.size(); ++i)
    largest = std::max(largest, std::fabs(decode(Format::bf16, q.scale_bf16[i]) - q.scale_fp32[i]) / q.scale_fp32[i]);
  EXPECT_LE(largest, kScaleError);
  EXPECT_GT(largest, 0.95 * kScaleError);
}

// |w / s - c| <= 1/2 + |w / s| 2^-24 (the FP32 division), and c moves by |c| |s_bf16 - s|.
TEST(ArticleQuantiser, dequantised_weights_are_within_half_a_step_and_the_rounding_of_the_scale) {
  for (const ArticleShape& shape : kShapes) {
    const std::vector<float> weight = random_weight(shape, 8);
    const Quantised q = quantise_article(weight, shape);
    const std::vector<double> restored = dequantised(q.packed, q.scale_bf16, shape);
    for (size_t i = 0; i < weight.size(); ++i) {
      const size_t g = i / static_cast<size_t>(shape.group);
      const double w = weight[i], scale = q.scale_fp32[g], rounded = decode(Format::bf16, q.scale_bf16[g]), steps = restored[i] / rounded;
      const double bound = scale / 2 + std::fabs(w) * 0x1p-24 + std::fabs(steps) * std::fabs(rounded - scale);
      ASSERT_LE(std::fabs(restored[i] - w), bound);
      ASSERT_LE(bound, scale / 2 + 7 * scale * (kScaleError + 0x1p-23));
    }
  }
}

TEST(ArticleQuantiser, refuses_bad_shapes_and_weights_in_one_line) {
  EXPECT_EQ(message([] { quantise_article(std::vector<float>(16), {1, 16, 12}); }), "group 12 is not a positive multiple of 8");
  EXPECT_EQ(message([] { quantise_article(std::vector<float>(24), {1, 24, 16}); }), "K = 24 is not a multiple of the group 16");
  EXPECT_EQ(message([] { quantise_article(std::vector<float>(8), {2, 8, 8}); }), "8 weights given where the shape has 16");
  EXPECT_EQ(message([] {
              quantise_article(std::vector<float>(8, std::numeric_limits<float>::infinity()), {1, 8, 8});
            }),
            "a weight is inf, and only finite ones can be quantised");
  EXPECT_EQ(message([] {
              dequantised(std::vector<int32_t>(1), std::vector<uint16_t>(2), {1, 8, 8});
            }),
            "2 scales given where the shape has 1");
}

}  // namespace
}  // namespace assay
