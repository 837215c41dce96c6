#include "oracles/packings/article.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "oracles/formats/format.hpp"

namespace assay {
namespace {

template <class... Values>
void require(bool holds, fmt::format_string<Values...> text, Values&&... values) {
  if (!holds) throw std::invalid_argument(fmt::format(text, std::forward<Values>(values)...));
}

void require_length(std::string_view what, size_t length, int64_t wanted) {
  require(static_cast<int64_t>(length) == wanted, "{} {} given where the shape has {}", length, what, wanted);
}

void check(const ArticleShape& shape) {
  require(shape.group > 0 && shape.group % 8 == 0, "group {} is not a positive multiple of 8", shape.group);
  require(shape.columns % shape.group == 0, "K = {} is not a multiple of the group {}", shape.columns, shape.group);
}

float group_scale(std::span<const float> group) {
  float largest = 0;
  for (const float w : group) {
    require(std::isfinite(w), "a weight is {}, and only finite ones can be quantised", w);
    largest = std::max(largest, std::abs(w));
  }
  return std::max(largest / 7.0f, 1e-8f);
}

}  // namespace

ArticlePacking::ArticlePacking(int64_t rows, int64_t columns) : rows_(rows), columns_(columns) {
  require(rows >= 0 && columns >= 0, "N = {} and K = {} must not be negative", rows, columns);
  require(columns % 8 == 0, "K = {} is not a multiple of 8, the codes in a word", columns);
}

void ArticlePacking::pack(std::span<const uint8_t> codes, std::span<int32_t> words) const {
  require_length("codes", codes.size(), code_count());
  require_length("words", words.size(), word_count());
  const auto wide = std::find_if(codes.begin(), codes.end(), [](uint8_t code) { return code > 15; });
  if (wide != codes.end()) {
    const int64_t place = wide - codes.begin();
    require(false, "code {} at n = {}, k = {} does not fit 4 bits", *wide, place / columns_, place % columns_);
  }
  for (size_t w = 0; w < words.size(); ++w) {
    uint32_t word = 0;
    for (size_t j = 0; j < 8; ++j) word |= uint32_t{codes[8 * w + j]} << (4 * j);
    words[w] = static_cast<int32_t>(word);
  }
}

void ArticlePacking::unpack(std::span<const int32_t> words, std::span<uint8_t> codes) const {
  require_length("words", words.size(), word_count());
  require_length("codes", codes.size(), code_count());
  for (size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<uint32_t>(words[i / 8]) >> (4 * (i % 8)) & 15;
}

std::vector<int32_t> ArticlePacking::packed(std::span<const uint8_t> codes) const {
  std::vector<int32_t> words(static_cast<size_t>(word_count()));
  pack(codes, words);
  return words;
}

std::vector<uint8_t> ArticlePacking::unpacked(std::span<const int32_t> words) const {
  std::vector<uint8_t> codes(static_cast<size_t>(code_count()));
  unpack(words, codes);
  return codes;
}

uint8_t ArticlePacking::code_at(std::span<const int32_t> words, int64_t n, int64_t k) const {
  require_length("words", words.size(), word_count());
  if (n < 0 || n >= rows_ || k < 0 || k >= columns_)
    throw std::out_of_range(fmt::format("n = {}, k = {} is outside the weight [{}, {}]", n, k, rows_, columns_));
  return static_cast<uint32_t>(words[static_cast<size_t>((n * columns_ + k) / 8)]) >> (4 * (k % 8)) & 15;
}

Quantised quantise_article(std::span<const float> weight, const ArticleShape& shape) {
  check(shape);
  const ArticlePacking packing(shape.rows, shape.columns);
  require_length("weights", weight.size(), packing.code_count());
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
  result.packed = packing.packed(codes);
  return result;
}

std::vector<double> dequantised(std::span<const int32_t> packed, std::span<const uint16_t> scale_bf16, const ArticleShape& shape) {
  check(shape);
  const ArticlePacking packing(shape.rows, shape.columns);
  const size_t group = static_cast<size_t>(shape.group);
  require_length("scales", scale_bf16.size(), packing.code_count() / shape.group);
  const std::vector<uint8_t> codes = packing.unpacked(packed);
  std::vector<double> weight(codes.size());
  for (size_t i = 0; i < codes.size(); ++i) weight[i] = decode(Format::u4b8, codes[i]) * decode(Format::bf16, scale_bf16[i / group]);
  return weight;
}

}  // namespace assay
