#include "oracles/packings/packing.hpp"

#include <algorithm>

#include "oracles/packings/require.hpp"

namespace assay {
namespace {

void check_codes(const Packing& packing, std::span<const uint8_t> codes) {
  require(packing.bits != 0, "{} holds whole elements, not codes", packing.name);
  require_length("codes", codes.size(), packing.entry_count());
  const auto wide = std::find_if(codes.begin(), codes.end(), [&](uint8_t code) { return code > packing.mask(); });
  if (wide == codes.end()) return;
  const int64_t at = wide - codes.begin();
  require(false, "code {} at [{}, {}] does not fit {} bits", *wide, at / packing.columns, at % packing.columns, packing.bits);
}

Packing elements(std::string_view name, int64_t rows, int64_t columns) {
  require(rows >= 0 && columns >= 0, "{} [{}, {}]: no extent may be negative", name, rows, columns);
  return {.name = name, .bits = 0, .rows = rows, .columns = columns, .word_rows = rows, .word_columns = columns};
}

}  // namespace

Place Packing::place(int64_t row, int64_t column) const {
  if (row < 0 || row >= rows || column < 0 || column >= columns)
    throw std::out_of_range(fmt::format("[{}, {}] is outside {}", row, column, to_text(*this)));
  return to_place(*this, {row, column});
}

Entry Packing::entry(const Place& at) const {
  const bool inside = at.row >= 0 && at.row < word_rows && at.column >= 0 && at.column < word_columns;
  const bool whole = bits ? at.shift >= 0 && at.shift < 32 && at.shift % bits == 0 : at.shift == 0;
  if (!inside || !whole)
    throw std::out_of_range(fmt::format("bit {} of word [{}, {}] is no place of {}", at.shift, at.row, at.column, to_text(*this)));
  return to_entry(*this, at);
}

int64_t Packing::index(int64_t row, int64_t column) const {
  const Place at = place(row, column);
  return at.row * word_columns + at.column;
}

std::string to_text(const Packing& p) {
  const std::string kind = p.bits ? fmt::format("of {} bits", p.bits) : std::string("of whole elements");
  return fmt::format("{} [{}, {}] {} in [{}, {}]", p.name, p.rows, p.columns, kind, p.word_rows, p.word_columns);
}

void pack(const Packing& packing, std::span<const uint8_t> codes, std::span<int32_t> words) {
  check_codes(packing, codes);
  require_length("words", words.size(), packing.word_count());
  std::fill(words.begin(), words.end(), 0);
  for (int64_t row = 0; row < packing.rows; ++row)
    for (int64_t column = 0; column < packing.columns; ++column) {
      const Place at = packing.to_place(packing, {row, column});
      int32_t& word = words[static_cast<size_t>(at.row * packing.word_columns + at.column)];
      word = static_cast<int32_t>(static_cast<uint32_t>(word) | uint32_t{codes[static_cast<size_t>(row * packing.columns + column)]}
                                                                    << at.shift);
    }
}

void unpack(const Packing& packing, std::span<const int32_t> words, std::span<uint8_t> codes) {
  require(packing.bits != 0, "{} holds whole elements, not codes", packing.name);
  require_length("words", words.size(), packing.word_count());
  require_length("codes", codes.size(), packing.entry_count());
  for (int64_t row = 0; row < packing.rows; ++row)
    for (int64_t column = 0; column < packing.columns; ++column) {
      const Place at = packing.to_place(packing, {row, column});
      const auto word = static_cast<uint32_t>(words[static_cast<size_t>(at.row * packing.word_columns + at.column)]);
      codes[static_cast<size_t>(row * packing.columns + column)] = static_cast<uint8_t>(word >> at.shift & packing.mask());
    }
}

std::vector<int32_t> packed(const Packing& packing, std::span<const uint8_t> codes) {
  std::vector<int32_t> words(static_cast<size_t>(packing.word_count()));
  pack(packing, codes, words);
  return words;
}

std::vector<uint8_t> unpacked(const Packing& packing, std::span<const int32_t> words) {
  std::vector<uint8_t> codes(static_cast<size_t>(packing.entry_count()));
  unpack(packing, words, codes);
  return codes;
}

uint8_t code_at(const Packing& packing, std::span<const int32_t> words, int64_t row, int64_t column) {
  require(packing.bits != 0, "{} holds whole elements, not codes", packing.name);
  require_length("words", words.size(), packing.word_count());
  const Place at = packing.place(row, column);
  const auto word = static_cast<uint32_t>(words[static_cast<size_t>(at.row * packing.word_columns + at.column)]);
  return static_cast<uint8_t>(word >> at.shift & packing.mask());
}

void check_lengths(const Packing& packing, size_t entries, size_t elements) {
  require(packing.bits == 0, "{} holds codes, not whole elements", packing.name);
  require_length("entries", entries, packing.entry_count());
  require_length("elements", elements, packing.word_count());
}

Packing plain_elements(int64_t rows, int64_t columns) {
  Packing p = elements("plain_elements", rows, columns);
  p.to_place = [](const Packing&, Entry e) { return Place{e.row, e.column}; };
  p.to_entry = [](const Packing&, Place at) { return Entry{at.row, at.column}; };
  return p;
}

Packing transposed_elements(int64_t rows, int64_t columns) {
  Packing p = elements("transposed_elements", rows, columns);
  p.word_rows = columns, p.word_columns = rows;
  p.to_place = [](const Packing&, Entry e) { return Place{e.column, e.row}; };
  p.to_entry = [](const Packing&, Place at) { return Entry{at.column, at.row}; };
  return p;
}

}  // namespace assay
