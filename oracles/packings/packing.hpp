// How a matrix lies in memory: the one shape that all packings have.
//
// The matrix is that of the formula: a weight's codes [k, n], its zero points or scales [groups, n]. Memory is a tensor of 32-bit words
// [word_rows, word_columns], each of which holds 32 / bits codes, or of whole elements (scales in any format), one to a place. A packing is
// a bijection between the two, written down in both directions by its own file (article, gptq, awq, marlin); what can be said of every
// packing is said here, once: packing, unpacking, looking one code up.
//
// Natural order, where codes stand in a row of their own: [rows][columns], columns next to each other.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// A place in memory: element [row, column] of the tensor, and where it is a word of codes, the bits from `shift` on.
struct Place {
  int64_t row = 0, column = 0;
  int shift = 0;
  bool operator==(const Place&) const = default;
};

/// An entry of the matrix: k or a group, and n.
struct Entry {
  int64_t row = 0, column = 0;
  bool operator==(const Entry&) const = default;
};

/// A plain value; the functions that make one (gptq_codes, marlin_zeros, ...) throw std::invalid_argument for a shape that does not fit.
struct Packing {
  std::string_view name;
  int bits = 4;                             // of a code: 4 or 8; 0: whole elements
  int64_t rows = 0, columns = 0;            // of the matrix
  int64_t word_rows = 0, word_columns = 0;  // of the tensor
  Place (*to_place)(const Packing&, Entry) = nullptr;
  Entry (*to_entry)(const Packing&, Place) = nullptr;

  int per_word() const { return bits ? 32 / bits : 1; }
  uint32_t mask() const { return (uint32_t{1} << bits) - 1; }
  int64_t entry_count() const { return rows * columns; }
  int64_t word_count() const { return word_rows * word_columns; }

  /// std::out_of_range outside the matrix, and for a place outside the tensor or between two codes.
  Place place(int64_t row, int64_t column) const;
  Entry entry(const Place&) const;

  /// The same for a dense tensor: the number of the word or element.
  int64_t index(int64_t row, int64_t column) const;
};

std::string to_text(const Packing&);  // marlin_codes [64, 128] of 4 bits in [4, 256]

// ---- codes in words. A span of another length, or a code that does not fit, throws std::invalid_argument and nothing is written.

void pack(const Packing&, std::span<const uint8_t> codes, std::span<int32_t> words);
void unpack(const Packing&, std::span<const int32_t> words, std::span<uint8_t> codes);
std::vector<int32_t> packed(const Packing&, std::span<const uint8_t> codes);
std::vector<uint8_t> unpacked(const Packing&, std::span<const int32_t> words);
uint8_t code_at(const Packing&, std::span<const int32_t> words, int64_t row, int64_t column);

// ---- whole elements (bits = 0), by their codes in whatever format

void check_lengths(const Packing&, size_t entries, size_t elements);

template <class T>
std::vector<T> packed_elements(const Packing& packing, std::span<const T> natural) {
  std::vector<T> elements(static_cast<size_t>(packing.word_count()));
  check_lengths(packing, natural.size(), elements.size());
  for (int64_t row = 0; row < packing.rows; ++row)
    for (int64_t column = 0; column < packing.columns; ++column)
      elements[static_cast<size_t>(packing.index(row, column))] = natural[static_cast<size_t>(row * packing.columns + column)];
  return elements;
}

template <class T>
std::vector<T> unpacked_elements(const Packing& packing, std::span<const T> elements) {
  std::vector<T> natural(static_cast<size_t>(packing.entry_count()));
  check_lengths(packing, natural.size(), elements.size());
  for (int64_t row = 0; row < packing.rows; ++row)
    for (int64_t column = 0; column < packing.columns; ++column)
      natural[static_cast<size_t>(row * packing.columns + column)] = elements[static_cast<size_t>(packing.index(row, column))];
  return natural;
}

/// Whole elements where they stand: entry [row, column] is element [row, column]. The scales of GPTQ and AWQ, [groups, n].
Packing plain_elements(int64_t rows, int64_t columns);

/// Whole elements with rows and columns exchanged: entry [row, column] is element [column, row]. The article's scales, [n, groups].
Packing transposed_elements(int64_t rows, int64_t columns);

}  // namespace assay
