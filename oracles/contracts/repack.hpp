// What contracts that move codes from one packing to another share.
#pragma once
#include "oracles/contract.hpp"
#include "oracles/contracts/packed_weight.hpp"

namespace assay {

/// Word [row, column] of `to`, whose codes stand in `from` as `source` holds them; perm (null: none): row j of the result is the source's
/// row perm[j].
inline uint64_t repacked_word(const Packing& from, const Packing& to, const Tensor& source, const Tensor* perm, int64_t row,
                              int64_t column) {
  uint64_t word = 0;
  for (int shift = 0; shift < 32; shift += to.bits) {
    const Entry e = to.entry({row, column, shift});
    const int64_t k = perm ? static_cast<int64_t>(perm->code(0, e.row)) : e.row;
    word |= packed_code(from, source, k, e.column) << shift;
  }
  return word;
}

/// As many codes as stand in so many words of 32 bits.
inline int64_t codes_in_words(int64_t words, const Parameters& p) { return words * (p.word("bits") == "8" ? 4 : 8); }

/// Why a weight [k, n] has no tiles of Marlin, or nothing.
inline std::optional<std::string> refuses_marlin(int64_t k, int64_t n) {
  if (k % 16) return "k=" + std::to_string(k) + ": a tile has 16 rows, so k must be a multiple of 16";
  if (n % 64) return "n=" + std::to_string(n) + ": a tile has 64 columns, so n must be a multiple of 64";
  if (double(k) * double(n) > 0x1p40) return "k=" + std::to_string(k) + " n=" + std::to_string(n) + ": more than 2^40 codes";
  return {};
}

}  // namespace assay
