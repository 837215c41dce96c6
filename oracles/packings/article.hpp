// The article's INT4 weights. Layout: int32 words [N, K/8]; word w of row n holds k = 8w .. 8w + 7, the code of k = 8w + j in bits
// 4j .. 4j + 3; codes are u4b8 (value = code - 8). Quantiser: symmetric, one scale for G consecutive k of a row, stored as BF16.
//
// A kernel reads the BF16 scale. A reference built from the FP32 scale is wrong by up to 2^-8 / (1 + 2^-8) of every weight of a group;
// dequantised() therefore uses the BF16 one, and the other is there to tell the two apart.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace assay {

/// Where the codes of a weight [rows, columns] lie. A span of another length, or a code above 15, throws std::invalid_argument and
/// nothing is written.
class ArticlePacking {
 public:
  ArticlePacking(int64_t rows, int64_t columns);  // columns a multiple of 8

  int64_t code_count() const { return rows_ * columns_; }
  int64_t word_count() const { return rows_ * columns_ / 8; }

  void pack(std::span<const uint8_t> codes, std::span<int32_t> words) const;
  void unpack(std::span<const int32_t> words, std::span<uint8_t> codes) const;

  std::vector<int32_t> packed(std::span<const uint8_t> codes) const;
  std::vector<uint8_t> unpacked(std::span<const int32_t> words) const;

  /// The code of weight [n, k]; std::out_of_range outside the shape.
  uint8_t code_at(std::span<const int32_t> words, int64_t n, int64_t k) const;

 private:
  int64_t rows_, columns_;
};

/// The shape of a quantised weight: group divides columns and is a multiple of 8, so that a word has one scale.
struct ArticleShape {
  int64_t rows, columns, group;
};

struct Quantised {
  std::vector<int32_t> packed;       // [rows, columns / 8]
  std::vector<uint16_t> scale_bf16;  // [rows, columns / group], what kernels read
  std::vector<float> scale_fp32;     // the same before rounding, what the codes were chosen with
};

/// The article's quantiser, in FP32 as it is written there: scale = max|w| / 7 over the group, at least 1e-8;
/// code = clamp(round_half_even(w / scale) + 8, 0, 15), which never yields 0. Weights [rows, columns] must be finite.
Quantised quantise_article(std::span<const float> weight, const ArticleShape&);

/// (code - 8) * BF16 scale of every weight, exact: 4 bits times 8.
std::vector<double> dequantised(std::span<const int32_t> packed, std::span<const uint16_t> scale_bf16, const ArticleShape&);

}  // namespace assay
