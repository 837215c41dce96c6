#include "oracles/packings/article.hpp"

#include <algorithm>
#include <cmath>

#include "oracles/formats/format.hpp"
#include "oracles/packings/require.hpp"

namespace assay {
namespace {

void check(const ArticleShape& shape) {
  require(shape.rows >= 0 && shape.columns >= 0, "N = {} and K = {} must not be negative", shape.rows, shape.columns);
  require(shape.group > 0 && shape.group % 8 == 0, "group {} is not a positive multiple of 8", shape.group);
  require(shape.columns % shape.group == 0, "K = {} is not a multiple of the group {}", shape.columns, shape.group);
}

/// Rows of words follow each other without a gap, so that a weight [N, K] in its own order is one row of N * K codes.
Packing one_row(size_t codes) { return article_codes(static_cast<int64_t>(codes), 1); }

float group_scale(std::span<const float> group) {
  float largest = 0;
  for (const float w : group) {
    require(std::isfinite(w), "a weight is {}, and only finite ones can be quantised", w);
    largest = std::max(largest, std::abs(w));
  }
  return std::max(largest / 7.0f, 1e-8f);
}

}  // namespace

Packing article_codes(int64_t k, int64_t n) {
  require(k >= 0 && n >= 0, "article_codes [K = {}, N = {}]: no extent may be negative", k, n);
  require(k % 8 == 0, "article_codes [K = {}, N = {}]: K is not a multiple of 8, the codes in a word", k, n);
  return {.name = "article_codes",
          .bits = 4,
          .rows = k,
          .columns = n,
          .word_rows = n,
          .word_columns = k / 8,
          .to_place =
              [](const Packing&, Entry e) {
                return Place{e.column, e.row / 8, 4 * static_cast<int>(e.row % 8)};
              },
          .to_entry =
              [](const Packing&, Place at) {
                return Entry{8 * at.column + at.shift / 4, at.row};
              }};
}

Quantised quantise_article(std::span<const float> weight, const ArticleShape& shape) {
  check(shape);
  require_length("weights", weight.size(), shape.rows * shape.columns);
  const size_t group = static_cast<size_t>(shape.group);
  std::vector<uint8_t> codes;
  Quantised result;
  for (size_t first = 0; first < weight.size(); first += group) {
    const auto members = weight.subspan(first, group);
    const float scale = group_scale(members);
    for (const float w : members) codes.push_back(static_cast<uint8_t>(encode(Format::u4b8, w / scale, Overflow::saturate)));
    result.scale_fp32.push_back(scale);
    result.scale_bf16.push_back(static_cast<uint16_t>(encode(Format::bf16, scale)));
  }
  result.packed = packed(one_row(codes.size()), codes);
  return result;
}

std::vector<double> dequantised(std::span<const int32_t> packed, std::span<const uint16_t> scale_bf16, const ArticleShape& shape) {
  check(shape);
  const size_t group = static_cast<size_t>(shape.group);
  require_length("words", packed.size(), shape.rows * shape.columns / 8);
  require_length("scales", scale_bf16.size(), shape.rows * shape.columns / shape.group);
  const std::vector<uint8_t> codes = unpacked(one_row(8 * packed.size()), packed);
  std::vector<double> weight(codes.size());
  for (size_t i = 0; i < codes.size(); ++i) weight[i] = decode(Format::u4b8, codes[i]) * decode(Format::bf16, scale_bf16[i / group]);
  return weight;
}

}  // namespace assay
