#include "oracles/packings/awq.hpp"

#include "oracles/packings/require.hpp"

namespace assay {
namespace {

// Which column of a word's stands at place p, and where each column stands. Half of a word holds the even columns, half the odd ones.
int column_at(int per_word, int p) { return p < per_word / 2 ? 2 * p : 2 * (p - per_word / 2) + 1; }
int place_of(int per_word, int column) { return column / 2 + column % 2 * (per_word / 2); }

Packing along_n(std::string_view name, int bits, std::string_view row_name, int64_t rows, int64_t n) {
  require(bits == 4 || bits == 8, "{}: codes of {} bits, must be 4 or 8", name, bits);
  require(rows >= 0 && n >= 0, "{} [{} = {}, N = {}]: no extent may be negative", name, row_name, rows, n);
  Packing p{.name = name, .bits = bits, .rows = rows, .columns = n, .word_rows = rows};
  require(n % p.per_word() == 0, "{} [{} = {}, N = {}]: N is not a multiple of {}, the codes in a word", name, row_name, rows, n,
          p.per_word());
  p.word_columns = n / p.per_word();
  p.to_place = [](const Packing& q, Entry e) {
    return Place{e.row, e.column / q.per_word(), q.bits * place_of(q.per_word(), static_cast<int>(e.column % q.per_word()))};
  };
  p.to_entry = [](const Packing& q, Place at) {
    return Entry{at.row, at.column * q.per_word() + column_at(q.per_word(), at.shift / q.bits)};
  };
  return p;
}

}  // namespace

Packing awq_codes(int bits, int64_t k, int64_t n) { return along_n("awq_codes", bits, "K", k, n); }
Packing awq_zeros(int bits, int64_t groups, int64_t n) { return along_n("awq_zeros", bits, "groups", groups, n); }

}  // namespace assay
