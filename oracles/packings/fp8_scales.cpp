#include "oracles/packings/fp8_scales.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "oracles/packings/require.hpp"

namespace assay {
namespace {

constexpr int64_t kPadding = 4;  // rows: 16 bytes of FP32, TMA's unit

int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }
int64_t padded(int64_t rows) { return ceil_div(rows, kPadding) * kPadding; }

constexpr std::array<std::string_view, kScaleLayouts> kNames = {"tensor", "row", "group", "group_column_major", "group_padded", "block"};

void check_inside(const char* what, int64_t row, int64_t column, int64_t rows, int64_t columns) {
  if (row < 0 || row >= rows || column < 0 || column >= columns)
    throw std::out_of_range(fmt::format("[{}, {}] is outside the {} [{}, {}]", row, column, what, rows, columns));
}

}  // namespace

std::string_view name(ScaleLayout layout) { return kNames[static_cast<size_t>(layout)]; }

int64_t Fp8Scales::scale_rows() const { return ceil_div(rows, block_rows); }
int64_t Fp8Scales::scale_columns() const { return ceil_div(columns, block_columns); }

int64_t Fp8Scales::index(int64_t row, int64_t column) const {
  check_inside("matrix", row, column, rows, columns);
  return row / block_rows * row_stride + column / block_columns * column_stride;
}

int64_t Fp8Scales::scale_index(int64_t scale_row, int64_t scale_column) const {
  check_inside("matrix of scales", scale_row, scale_column, scale_rows(), scale_columns());
  return scale_row * row_stride + scale_column * column_stride;
}

int64_t Fp8Scales::extent() const { return scale_count() == 0 ? 0 : (runs() - 1) * run_stride() + run_length(); }

Fp8Scales fp8_scales(ScaleLayout layout, int64_t rows, int64_t columns, int64_t group) {
  require(rows >= 0 && columns >= 0, "{} scales of [{}, {}]: no extent may be negative", name(layout), rows, columns);
  require(group >= 1, "{} scales of [{}, {}] in groups of {}: a group has at least one element", name(layout), rows, columns, group);
  Fp8Scales s{.rows = rows, .columns = columns, .block_columns = group};
  switch (layout) {
    case ScaleLayout::tensor: s.block_rows = std::max<int64_t>(rows, 1), s.block_columns = std::max<int64_t>(columns, 1); break;
    case ScaleLayout::row: s.block_columns = std::max<int64_t>(columns, 1); break;
    case ScaleLayout::block: s.block_rows = group; break;
    case ScaleLayout::group: break;
    case ScaleLayout::group_column_major: s.column_stride = rows, s.column_major = true; break;
    case ScaleLayout::group_padded: s.column_stride = padded(rows), s.column_major = true; break;
  }
  if (!s.column_major) s.row_stride = std::max<int64_t>(s.scale_columns(), 1);
  return s;
}

uint8_t ue8m0_above(float scale) {
  const auto bits = std::bit_cast<uint32_t>(scale);
  const uint32_t exponent = (bits >> 23 & 0xFF) + ((bits & 0x7FFFFF) != 0);
  return static_cast<uint8_t>(std::clamp<uint32_t>(exponent, 1, 254));
}

float ue8m0_to_fp32(uint8_t byte) { return std::bit_cast<float>(uint32_t{byte} << 23); }

int64_t PackedUe8m0::extent() const { return rows == 0 || groups == 0 ? 0 : (word_columns() - 1) * column_stride() + rows; }

int64_t PackedUe8m0::index(int64_t row, int64_t word_column) const {
  check_inside("words", row, word_column, rows, word_columns());
  return word_column * column_stride() + row;
}

std::vector<int32_t> packed_ue8m0(const PackedUe8m0& shape, std::span<const float> scales) {
  require(shape.rows >= 0 && shape.groups >= 0, "UE8M0 scales [{}, {}]: no extent may be negative", shape.rows, shape.groups);
  require_length("scales", scales.size(), shape.rows * shape.groups);
  std::vector<int32_t> words(static_cast<size_t>(shape.extent()));
  for (int64_t row = 0; row < shape.rows; ++row)
    for (int64_t group = 0; group < shape.groups; ++group) {
      int32_t& word = words[static_cast<size_t>(shape.index(row, group / 4))];
      const uint32_t byte = ue8m0_above(scales[static_cast<size_t>(row * shape.groups + group)]);
      word = static_cast<int32_t>(static_cast<uint32_t>(word) | byte << (8 * (group % 4)));
    }
  return words;
}

std::vector<uint8_t> unpacked_ue8m0(const PackedUe8m0& shape, std::span<const int32_t> words) {
  require(shape.rows >= 0 && shape.groups >= 0, "UE8M0 scales [{}, {}]: no extent may be negative", shape.rows, shape.groups);
  require_length("words", words.size(), shape.extent());
  std::vector<uint8_t> bytes;
  for (int64_t row = 0; row < shape.rows; ++row)
    for (int64_t group = 0; group < shape.groups; ++group)
      bytes.push_back(
          static_cast<uint8_t>(static_cast<uint32_t>(words[static_cast<size_t>(shape.index(row, group / 4))]) >> (8 * (group % 4))));
  return bytes;
}

}  // namespace assay
