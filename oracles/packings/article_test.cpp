#include "oracles/packings/article.hpp"

#include <cmath>
#include <limits>

#include "oracles/formats/format.hpp"
#include "oracles/packings/test_packing.hpp"

namespace assay {
namespace {

constexpr double kScaleError = 0x1p-8 / (1 + 0x1p-8);  // round to nearest at 8 significant bits, relative to the value before

std::vector<float> random_weight(const ArticleShape& shape, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<float> weight(static_cast<size_t>(shape.rows * shape.columns));
  for (float& w : weight) w = std::ldexp(static_cast<float>(static_cast<int32_t>(random() >> 32)), -static_cast<int>(30 + random() % 6));
  return weight;
}

const std::vector<ArticleShape> kShapes = {{1, 8, 8}, {3, 16, 8}, {2, 64, 32}, {5, 256, 128}, {7, 24, 24}, {64, 512, 64}};

TEST(ArticlePacking, the_first_code_lies_in_the_lowest_bits) {
  EXPECT_EQ(packed(article_codes(8, 1), std::vector<uint8_t>{0, 1, 2, 3, 4, 5, 6, 7}), std::vector<int32_t>{0x76543210});
  EXPECT_EQ(packed(article_codes(8, 1), std::vector<uint8_t>{1, 0, 0, 0, 0, 0, 0, 15}),
            std::vector<int32_t>{static_cast<int32_t>(0xF0000001)});
}

TEST(ArticlePacking, a_row_of_words_is_a_column_of_the_formula) {
  for (int64_t n = 0; n < 3; ++n)
    for (int64_t k = 0; k < 24; ++k) EXPECT_EQ(article_codes(24, 3).place(k, n), (Place{n, k / 8, static_cast<int>(4 * (k % 8))}));
}

TEST(ArticlePacking, refuses_what_does_not_fit_in_one_line) {
  EXPECT_EQ(message([] { article_codes(12, 1); }), "article_codes [K = 12, N = 1]: K is not a multiple of 8, the codes in a word");
  EXPECT_EQ(message([] { article_codes(8, -1); }), "article_codes [K = 8, N = -1]: no extent may be negative");
  EXPECT_THROW(article_codes(12, 1), std::invalid_argument);
}

TEST(ArticleQuantiser, example_by_hand) {
  const std::vector<float> weight = {7, -7, 3.5f, 2.5f, -0.5f, 0.5000001f, 0, -6.6f};
  const Quantised q = quantise_article(weight, {1, 8, 8});
  EXPECT_EQ(q.scale_fp32, std::vector<float>{1});
  EXPECT_EQ(q.scale_bf16, std::vector<uint16_t>{0x3F80});
  EXPECT_EQ(unpacked(article_codes(8, 1), q.packed), (std::vector<uint8_t>{15, 1, 12, 10, 8, 9, 8, 1}));
  EXPECT_EQ(dequantised(q.packed, q.scale_bf16, {1, 8, 8}), (std::vector<double>{7, -7, 4, 2, 0, 1, 0, -7}));
}

TEST(ArticleQuantiser, follows_the_article_step_by_step) {
  for (const ArticleShape& shape : kShapes) {
    const std::vector<float> weight = random_weight(shape, 5);
    const Quantised q = quantise_article(weight, shape);
    const Packing packing = article_codes(shape.columns, shape.rows);
    for (int64_t n = 0; n < shape.rows; ++n)
      for (int64_t k = 0; k < shape.columns; ++k) {
        const float* group = &weight[static_cast<size_t>(n * shape.columns + k / shape.group * shape.group)];
        const float largest =
            std::accumulate(group, group + shape.group, 0.0f, [](float m, float w) { return std::fmax(m, std::fabs(w)); });
        const float scale = std::fmax(largest / 7.0f, 1e-8f), w = weight[static_cast<size_t>(n * shape.columns + k)];
        const float code = std::fmin(std::fmax(std::nearbyint(w / scale) + 8.0f, 0.0f), 15.0f);
        ASSERT_EQ(code_at(packing, q.packed, k, n), code);
        ASSERT_EQ(q.scale_fp32[static_cast<size_t>(n * (shape.columns / shape.group) + k / shape.group)], scale);
      }
  }
}

TEST(ArticleQuantiser, a_zero_group_gets_the_smallest_scale_and_never_code_zero) {
  const Quantised q = quantise_article(std::vector<float>(8), {1, 8, 8});
  EXPECT_EQ(q.scale_fp32, std::vector<float>{1e-8f});
  EXPECT_EQ(q.packed, std::vector<int32_t>{static_cast<int32_t>(0x88888888)});
  const ArticleShape shape{64, 512, 64};
  for (const uint8_t code : unpacked(article_codes(512, 64), quantise_article(random_weight(shape, 6), shape).packed)) ASSERT_GE(code, 1);
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
  EXPECT_EQ(message([] { quantise_article(std::vector<float>(8), {-1, -8, 8}); }), "N = -1 and K = -8 must not be negative");
  EXPECT_EQ(message([] { quantise_article(std::vector<float>(16), {1, 16, 12}); }), "group 12 is not a positive multiple of 8");
  EXPECT_EQ(message([] { quantise_article(std::vector<float>(24), {1, 24, 16}); }), "K = 24 is not a multiple of the group 16");
  EXPECT_EQ(message([] { quantise_article(std::vector<float>(8), {2, 8, 8}); }), "8 weights given where the shape has 16");
  EXPECT_EQ(message([] {
              quantise_article(std::vector<float>(8, std::numeric_limits<float>::infinity()), {1, 8, 8});
            }),
            "a weight is inf, and only finite ones can be quantised");
  EXPECT_EQ(message([] {
              dequantised(std::vector<int32_t>(2), std::vector<uint16_t>(1), {1, 8, 8});
            }),
            "2 words given where the shape has 1");
  EXPECT_EQ(message([] {
              dequantised(std::vector<int32_t>(1), std::vector<uint16_t>(2), {1, 8, 8});
            }),
            "2 scales given where the shape has 1");
}

}  // namespace
}  // namespace assay
