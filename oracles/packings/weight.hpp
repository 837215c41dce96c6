// A quantised weight [k, n] as a checkpoint holds it: codes, scales and perhaps zero points, each with its packing, and what a stored zero
// means. A contract asks every family the same questions:
//
//   the code of (k, n)          code_at(weight.codes, words, k, n)
//   the zero point of (g, n)    weight.zero_at(zero words, g, n)
//   the scale of (g, n)         element weight.scales.index(g, n)
//
// and the weight is (code - zero) * scale, with g = k / group unless g_idx says otherwise.
#pragma once
#include <optional>

#include "oracles/packings/gptq.hpp"
#include "oracles/packings/packing.hpp"

namespace assay {

struct WeightPacking {
  std::string_view name;
  int64_t group = 0;             // k that share a scale; divides K
  Packing codes;                 // [K, N]
  Packing scales;                // [groups, N], whole elements
  std::optional<Packing> zeros;  // [groups, N]
  int zero_offset = 0;           // the zero point where none is stored, and else what is added to the stored one; never masked

  int64_t groups() const { return scales.rows; }

  /// The zero point of a group: from 0 to 2^bits. `words` is empty where no zero points are stored.
  int zero_at(std::span<const int32_t> words, int64_t g, int64_t n) const;
};

/// The shape of a weight: `group` divides k; -1 stands for one group.
struct WeightShape {
  int bits = 4;
  int64_t k = 0, n = 0, group = -1;
};

std::string to_text(const WeightPacking&);

// ---- the families. std::invalid_argument for a shape that does not fit.

WeightPacking article_weight(const WeightShape&);  // 4 bits, zero point 8
WeightPacking gptq_weight(const WeightShape&, GptqVersion);
WeightPacking exllama_weight(const WeightShape&, GptqVersion);  // gptq_weight after the exllama shuffle of its codes
WeightPacking awq_weight(const WeightShape&);
WeightPacking marlin_weight(const WeightShape&);             // u4b8 or u8b128: zero point 8 or 128
WeightPacking marlin_weight_with_zeros(const WeightShape&);  // from AWQ: zero points stored as they are

}  // namespace assay
