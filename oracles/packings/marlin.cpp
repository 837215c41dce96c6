#include "oracles/packings/marlin.hpp"

#include <array>

#include "oracles/packings/require.hpp"

namespace assay {
namespace {

constexpr int64_t kTileK = 16, kTileN = 64;

void check_bits(std::string_view name, int bits) { require(bits == 4 || bits == 8, "{}: codes of {} bits, must be 4 or 8", name, bits); }

void check_multiple(std::string_view name, std::string_view row_name, int64_t rows, int64_t n, int64_t of) {
  require(rows >= 0 && n >= 0, "{} [{} = {}, N = {}]: no extent may be negative", name, row_name, rows, n);
  require(n % of == 0, "{} [{} = {}, N = {}]: N is not a multiple of {}", name, row_name, rows, n, of);
}

/// One code of a tile: whose lane's it is, in which run of 16 columns, and which of its eight there: k odd, k from 8 on, column from 8 on.
struct Fragment {
  int lane, run, odd, high_k, high_n;
};

Fragment fragment_of(int k, int n) { return {n % 8 * 4 + k % 8 / 2, n / 16, k % 2, k / 8, n % 16 / 8}; }
int k_of(const Fragment& f) { return 2 * (f.lane % 4) + f.odd + 8 * f.high_k; }
int n_of(const Fragment& f) { return 16 * f.run + f.lane / 4 + 8 * f.high_n; }

int64_t tile_words(const Packing& p) { return kTileK * kTileN / p.per_word(); }

Place place_of_code(const Packing& p, Entry e) {
  const Fragment f = fragment_of(static_cast<int>(e.row % kTileK), static_cast<int>(e.column % kTileN));
  const int64_t first = e.column / kTileN * tile_words(p);
  if (p.bits == 4) return {e.row / kTileK, first + 4 * f.lane + f.run, 4 * (4 * f.odd + 2 * f.high_n + f.high_k)};
  return {e.row / kTileK, first + 8 * f.lane + 2 * f.run + f.high_n, 8 * (2 * f.odd + f.high_k)};
}

Entry code_at_place(const Packing& p, Place at) {
  const int word = static_cast<int>(at.column % tile_words(p)), slot = at.shift / p.bits;
  const Fragment f = p.bits == 4 ? Fragment{word / 4, word % 4, slot / 4, slot % 2, slot / 2 % 2}
                                 : Fragment{word / 8, word % 8 / 2, slot / 2, slot % 2, word % 2};
  return {at.row * kTileK + k_of(f), at.column / tile_words(p) * kTileN + n_of(f)};
}

// The run of 64 is a transposed 8 x 8 square: its own inverse.
int64_t transposed(int64_t p) { return p / 64 * 64 + p % 64 / 8 + 8 * (p % 8); }

// The run of 32: position 8 t + 2 j + i is column 8 j + 2 t + i.
int64_t single_column(int64_t p) { return p / 32 * 32 + p % 32 / 8 * 2 + p % 8 / 2 * 8 + p % 2; }
int64_t single_position(int64_t n) { return n / 32 * 32 + n % 8 / 2 * 8 + n % 32 / 8 * 2 + n % 2; }

// The interleave puts what stands at 2i and 2i + 1 half a word apart.
int64_t interleaved(int per_word, int64_t place) { return place < per_word / 2 ? 2 * place : 2 * (place - per_word / 2) + 1; }
int64_t place_in_word(int per_word, int64_t position) { return position / 2 + position % 2 * (per_word / 2); }

}  // namespace

Packing marlin_codes(int bits, int64_t k, int64_t n) {
  check_bits("marlin_codes", bits);
  check_multiple("marlin_codes", "K", k, n, kTileN);
  require(k % kTileK == 0, "marlin_codes [K = {}, N = {}]: K is not a multiple of {}", k, n, kTileK);
  return {.name = "marlin_codes",
          .bits = bits,
          .rows = k,
          .columns = n,
          .word_rows = k / kTileK,
          .word_columns = kTileK * n * bits / 32,
          .to_place = place_of_code,
          .to_entry = code_at_place};
}

Packing marlin_grouped_scales(int64_t groups, int64_t n) {
  check_multiple("marlin_grouped_scales", "groups", groups, n, 64);
  return {.name = "marlin_grouped_scales",
          .bits = 0,
          .rows = groups,
          .columns = n,
          .word_rows = groups,
          .word_columns = n,
          .to_place =
              [](const Packing&, Entry e) {
                return Place{e.row, transposed(e.column)};
              },
          .to_entry =
              [](const Packing&, Place at) {
                return Entry{at.row, transposed(at.column)};
              }};
}

Packing marlin_single_scales(int64_t n) {
  check_multiple("marlin_single_scales", "groups", 1, n, 32);
  return {.name = "marlin_single_scales",
          .bits = 0,
          .rows = 1,
          .columns = n,
          .word_rows = 1,
          .word_columns = n,
          .to_place =
              [](const Packing&, Entry e) {
                return Place{e.row, single_position(e.column)};
              },
          .to_entry =
              [](const Packing&, Place at) {
                return Entry{at.row, single_column(at.column)};
              }};
}

Packing marlin_zeros(int bits, int64_t groups, int64_t n) {
  check_bits("marlin_zeros", bits);
  check_multiple("marlin_zeros", "groups", groups, n, 64);
  Packing p{.name = "marlin_zeros", .bits = bits, .rows = groups, .columns = n, .word_rows = groups, .word_columns = n * bits / 32};
  p.to_place = [](const Packing& q, Entry e) {
    const int64_t position = transposed(e.column);
    return Place{e.row, position / q.per_word(), q.bits * static_cast<int>(place_in_word(q.per_word(), position % q.per_word()))};
  };
  p.to_entry = [](const Packing& q, Place at) {
    return Entry{at.row, transposed(at.column * q.per_word() + interleaved(q.per_word(), at.shift / q.bits))};
  };
  return p;
}

}  // namespace assay
