#include "oracles/packings/weight.hpp"

#include "oracles/packings/article.hpp"
#include "oracles/packings/awq.hpp"
#include "oracles/packings/marlin.hpp"
#include "oracles/packings/require.hpp"

namespace assay {
namespace {

int64_t group_of(const WeightShape& s) {
  const int64_t group = s.group == -1 ? s.k : s.group;
  require(group > 0 && s.k % group == 0, "weight [K = {}, N = {}]: K is not a multiple of the group {}", s.k, s.n, group);
  return group;
}

int64_t groups_of(const WeightShape& s) { return s.k / group_of(s); }

/// The zero point half-way up the codes: u4b8, u8b128.
int middle(const WeightShape& s) { return 1 << (s.bits - 1); }

Packing marlin_scales(const WeightShape& s) {
  return groups_of(s) > 1 ? marlin_grouped_scales(groups_of(s), s.n) : marlin_single_scales(s.n);
}

}  // namespace

int WeightPacking::zero_at(std::span<const int32_t> words, int64_t g, int64_t n) const {
  if (zeros) return code_at(*zeros, words, g, n) + zero_offset;
  require(words.empty(), "{} stores no zero points", name);
  return zero_offset;
}

std::string to_text(const WeightPacking& w) {
  const std::string zeros =
      w.zeros ? fmt::format("{} + {}", to_text(*w.zeros), w.zero_offset) : fmt::format("zero point {}", w.zero_offset);
  return fmt::format("{}: {}, {}, {}", w.name, to_text(w.codes), to_text(w.scales), zeros);
}

WeightPacking article_weight(const WeightShape& s) {
  require(s.bits == 4, "article_weight: codes of {} bits, must be 4", s.bits);
  return {.name = "article",
          .group = group_of(s),
          .codes = article_codes(s.k, s.n),
          .scales = transposed_elements(groups_of(s), s.n),
          .zero_offset = 8};
}

WeightPacking gptq_weight(const WeightShape& s, GptqVersion version) {
  return {.name = version == GptqVersion::v1 ? "gptq_v1" : "gptq_v2",
          .group = group_of(s),
          .codes = gptq_codes(s.bits, s.k, s.n),
          .scales = plain_elements(groups_of(s), s.n),
          .zeros = gptq_zeros(s.bits, groups_of(s), s.n),
          .zero_offset = gptq_zero(version, 0)};
}

WeightPacking exllama_weight(const WeightShape& s, GptqVersion version) {
  WeightPacking w = gptq_weight(s, version);
  w.name = version == GptqVersion::v1 ? "exllama_v1" : "exllama_v2";
  w.codes = exllama_codes(s.bits, s.k, s.n);
  return w;
}

WeightPacking awq_weight(const WeightShape& s) {
  return {.name = "awq",
          .group = group_of(s),
          .codes = awq_codes(s.bits, s.k, s.n),
          .scales = plain_elements(groups_of(s), s.n),
          .zeros = awq_zeros(s.bits, groups_of(s), s.n)};
}

WeightPacking marlin_weight(const WeightShape& s) {
  return {.name = "marlin",
          .group = group_of(s),
          .codes = marlin_codes(s.bits, s.k, s.n),
          .scales = marlin_scales(s),
          .zero_offset = middle(s)};
}

WeightPacking marlin_weight_with_zeros(const WeightShape& s) {
  return {.name = "marlin_zeros",
          .group = group_of(s),
          .codes = marlin_codes(s.bits, s.k, s.n),
          .scales = marlin_scales(s),
          .zeros = marlin_zeros(s.bits, groups_of(s), s.n)};
}

}  // namespace assay
