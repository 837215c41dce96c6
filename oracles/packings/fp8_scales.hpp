// Scales of FP8 operands: which of them belongs to element (row, column) of a matrix, and where it lies. For an activation [M, K] rows are
// tokens; for a weight [N, K] (torch's Linear) rows are output channels.
//
//   tensor               one scale                                                            1
//   row                  one a token or a channel                                             [rows]
//   group                one for 128 columns of a row (1 x 128)                               [rows, K/128] row-major
//   group_column_major   the same, scales of one group next to each other                     [K/128, rows]
//   group_padded         the same, each group's run padded to a multiple of 4 rows, as TMA
//                        needs it (DeepGEMM, CUTLASS on sm_90)                                [K/128, ceil4(rows)]
//   block                one for 128 rows and 128 columns                                     [ceil(rows/128), ceil(K/128)] row-major
//
// UE8M0. A power-of-two scale is the exponent byte of an FP32: value 2^(E - 127). FP32 scales round up, so that no element leaves the range
// it was scaled into. DeepGEMM's packed variant puts four consecutive groups into an int32, the lowest group in the lowest byte, word
// (row, w) at w * ceil4(rows) + row; bytes of groups beyond the last are 0.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oracles/packings/packing.hpp"

namespace assay {

enum class ScaleLayout : uint8_t { tensor, row, group, group_column_major, group_padded, block };
inline constexpr int kScaleLayouts = 6;
std::string_view name(ScaleLayout);

/// The scales of a matrix [rows, columns].
struct Fp8Scales {
  int64_t rows = 0, columns = 0;              // of the matrix
  int64_t block_rows = 1, block_columns = 1;  // elements that share a scale
  int64_t row_stride = 1, column_stride = 1;  // scales between neighbours along rows and along columns of the matrix of scales
  bool column_major = false;                  // rows of one group are next to each other

  int64_t scale_rows() const;  // the matrix of scales: ceil(rows / block_rows)
  int64_t scale_columns() const;
  int64_t scale_count() const { return scale_rows() * scale_columns(); }

  /// The number of the scale of element (row, column), from the first scale on; std::out_of_range outside the matrix.
  int64_t index(int64_t row, int64_t column) const;
  /// Entry [row, column] of the matrix of scales, likewise.
  int64_t scale_index(int64_t scale_row, int64_t scale_column) const;

  /// Memory as a tensor whose innermost dimension is contiguous: runs, the scales of a run, and from one run to the next.
  int64_t runs() const { return column_major ? scale_columns() : scale_rows(); }
  int64_t run_length() const { return column_major ? scale_rows() : scale_columns(); }
  int64_t run_stride() const { return column_major ? column_stride : row_stride; }
  /// Scales from the first to one past the last: the padding behind the last run is nobody's.
  int64_t extent() const;
};

/// `group` elements share a scale along columns, and along rows in a block; 128 everywhere today. Columns that do not fill a group have one
/// of their own. std::invalid_argument for negative extents or a group below 1.
Fp8Scales fp8_scales(ScaleLayout, int64_t rows, int64_t columns, int64_t group = 128);

// ---- UE8M0

/// The exponent byte of the least power of two that is not below abs(scale), as DeepGEMM computes it from the bits: exponent field, plus 1
/// if any fraction bit is set, clamped to 1 .. 254. So zero and subnormals give 2^-126, infinity and NaN 2^127.
uint8_t ue8m0_above(float scale);

/// byte << 23 read as an FP32, as device code does it: 0 gives 0 (the format says 2^-127) and 255 infinity (the format says NaN); 1 .. 254,
/// which ue8m0_above gives, are the format's values.
float ue8m0_to_fp32(uint8_t byte);

/// DeepGEMM's packed scales of a matrix whose rows have `groups` scales: byte (row, group) at bits 8 (group % 4) of word (row, group / 4).
/// A word's places beyond the last group hold 0 and are no entries.
struct PackedUe8m0 {
  int64_t rows = 0, groups = 0;
  int64_t word_columns() const { return (groups + 3) / 4; }
  int64_t row_stride() const { return 1; }
  int64_t column_stride() const { return (rows + 3) / 4 * 4; }
  int64_t extent() const;                                 // words from the first to one past the last row of the last column
  int64_t index(int64_t row, int64_t word_column) const;  // of a word; std::out_of_range outside
};

/// FP32 scales [rows][groups], each rounded up, in words; padding rows and groups are 0. Lengths are checked (std::invalid_argument).
std::vector<int32_t> packed_ue8m0(const PackedUe8m0&, std::span<const float> scales);
/// The exponent bytes [rows][groups].
std::vector<uint8_t> unpacked_ue8m0(const PackedUe8m0&, std::span<const int32_t> words);

}  // namespace assay
