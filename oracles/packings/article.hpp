// The article's INT4 weights. Layout: int32 words [N, K/8]; word w of row n holds k = 8w .. 8w + 7, the code of k = 8w + j in bits
// 4j .. 4j + 3; codes are u4b8 (value = code - 8). Quantiser: symmetric, one scale for G consecutive k of a row, stored as BF16 [N, K/G].
//
// A kernel reads the BF16 scale. A reference built from the FP32 scale is wrong by up to 2^-8 / (1 + 2^-8) of every weight of a group;
// dequantised() therefore uses the BF16 one, and the other is there to tell the two apart.
#pragma once
#include "oracles/packings/packing.hpp"

namespace assay {

/// K is a multiple of 8.
Packing article_codes(int64_t k, int64_t n);

/// The shape of a quantised weight: group divides columns (k) and is a multiple of 8, so that a word has one scale.
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

/// (code - 8) * BF16 scale of every weight [rows, columns], exact: 4 bits times 8.
std::vector<double> dequantised(std::span<const int32_t> packed, std::span<const uint16_t> scale_bf16, const ArticleShape&);

}  // namespace assay
