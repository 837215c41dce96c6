#include "oracles/packings/gptq.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "oracles/packings/require.hpp"

namespace assay {
namespace {

constexpr std::array<int, 8> kExllamaOrder = {0, 2, 4, 6, 1, 3, 5, 7};  // which k of the eight stands at place p
constexpr std::array<int, 8> kExllamaPlace = {0, 4, 1, 5, 2, 6, 3, 7};  // where each k of the eight stands

Packing checked(std::string_view name, int bits, std::string_view row_name, int64_t rows, int64_t n) {
  require(bits == 4 || bits == 8, "{}: codes of {} bits, must be 4 or 8", name, bits);
  require(rows >= 0 && n >= 0, "{} [{} = {}, N = {}]: no extent may be negative", name, row_name, rows, n);
  return {.name = name, .bits = bits, .rows = rows, .columns = n};
}

Packing along_k(std::string_view name, int bits, int64_t k, int64_t n) {
  Packing p = checked(name, bits, "K", k, n);
  require(k % p.per_word() == 0, "{} [K = {}, N = {}]: K is not a multiple of {}, the codes in a word", name, k, n, p.per_word());
  p.word_rows = k / p.per_word(), p.word_columns = n;
  return p;
}

}  // namespace

Packing gptq_codes(int bits, int64_t k, int64_t n) {
  Packing p = along_k("gptq_codes", bits, k, n);
  p.to_place = [](const Packing& q, Entry e) {
    return Place{e.row / q.per_word(), e.column, q.bits * static_cast<int>(e.row % q.per_word())};
  };
  p.to_entry = [](const Packing& q, Place at) { return Entry{at.row * q.per_word() + at.shift / q.bits, at.column}; };
  return p;
}

Packing gptq_zeros(int bits, int64_t groups, int64_t n) {
  Packing p = checked("gptq_zeros", bits, "groups", groups, n);
  require(n % p.per_word() == 0, "gptq_zeros [groups = {}, N = {}]: N is not a multiple of {}, the zeros in a word", groups, n,
          p.per_word());
  p.word_rows = groups, p.word_columns = n / p.per_word();
  p.to_place = [](const Packing& q, Entry e) {
    return Place{e.row, e.column / q.per_word(), q.bits * static_cast<int>(e.column % q.per_word())};
  };
  p.to_entry = [](const Packing& q, Place at) { return Entry{at.row, at.column * q.per_word() + at.shift / q.bits}; };
  return p;
}

Packing exllama_codes(int bits, int64_t k, int64_t n) {
  Packing p = along_k("exllama_codes", bits, k, n);
  if (bits == 8) {
    const Packing straight = gptq_codes(bits, k, n);
    p.to_place = straight.to_place, p.to_entry = straight.to_entry;
    return p;
  }
  p.to_place = [](const Packing&, Entry e) { return Place{e.row / 8, e.column, 4 * kExllamaPlace[static_cast<size_t>(e.row % 8)]}; };
  p.to_entry = [](const Packing&, Place at) { return Entry{8 * at.row + kExllamaOrder[static_cast<size_t>(at.shift / 4)], at.column}; };
  return p;
}

int gptq_zero(GptqVersion version, uint32_t stored) { return static_cast<int>(stored) + (version == GptqVersion::v1 ? 1 : 0); }

bool has_divergent_zero(int bits, std::span<const int32_t> qzeros) {
  require(bits == 4 || bits == 8, "qzeros: codes of {} bits, must be 4 or 8", bits);
  const uint32_t largest = (uint32_t{1} << bits) - 1;
  for (const int32_t word : qzeros)
    for (int shift = 0; shift < 32; shift += bits)
      if ((static_cast<uint32_t>(word) >> shift & largest) == largest) return true;
  return false;
}

std::vector<int32_t> group_index(int64_t k, int64_t group) {
  require(k >= 0 && group > 0 && k % group == 0, "K = {} is not a multiple of the group {}", k, group);
  std::vector<int32_t> index(static_cast<size_t>(k));
  for (size_t i = 0; i < index.size(); ++i) index[i] = static_cast<int32_t>(static_cast<int64_t>(i) / group);
  return index;
}

std::vector<int32_t> act_order(std::span<const int32_t> g_idx, int64_t groups) {
  for (size_t i = 0; i < g_idx.size(); ++i)
    require(g_idx[i] >= 0 && g_idx[i] < groups, "g_idx[{}] is {}, must be a group in 0 .. {}", i, g_idx[i], groups - 1);
  std::vector<int32_t> order(g_idx.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return g_idx[static_cast<size_t>(a)] < g_idx[static_cast<size_t>(b)]; });
  return order;
}

void check_permutation(std::span<const int32_t> permutation) {
  std::vector<bool> seen(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) {
    const int64_t to = permutation[i];
    require(to >= 0 && to < static_cast<int64_t>(seen.size()), "permutation[{}] is {}, must be in 0 .. {}", i, to, seen.size() - 1);
    require(!seen[static_cast<size_t>(to)], "permutation[{}] is {}, which stood there before", i, to);
    seen[static_cast<size_t>(to)] = true;
  }
}

std::vector<int32_t> inverse_permutation(std::span<const int32_t> permutation) {
  check_permutation(permutation);
  std::vector<int32_t> inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) inverse[static_cast<size_t>(permutation[i])] = static_cast<int32_t>(i);
  return inverse;
}

std::vector<uint8_t> permuted_rows(std::span<const uint8_t> codes, int64_t width, std::span<const int32_t> permutation) {
  check_permutation(permutation);
  require(width >= 0, "rows of {} codes", width);
  require_length("codes", codes.size(), static_cast<int64_t>(permutation.size()) * width);
  std::vector<uint8_t> result;
  result.reserve(codes.size());
  for (const int32_t row : permutation) {
    const auto source = codes.subspan(static_cast<size_t>(row * width), static_cast<size_t>(width));
    result.insert(result.end(), source.begin(), source.end());
  }
  return result;
}

}  // namespace assay
