// How the work of a product y = x @ W is dealt to blocks of threads. Plain C++: host and device need it, and so does whoever calls.
//
// A tile is kTileColumns columns of y and one block of rows; it is made of slices of k. All slices of all tiles lie in one line: tiles by
// columns, within these by rows (so that neighbours read the same weights), and the slices of a tile by ascending k. The line is cut into
// stripes of equal length, one for each block of threads; a tile may begin in one stripe and end in a later one.
#pragma once

#include "kernels/common/arguments.h"

namespace assay::marlin {

inline constexpr int kTileColumns = 256;
inline constexpr int kMaxRowGroups = 8;                // of 8 rows: a tile has at most 64 rows
inline constexpr int64_t kMaxSize = int64_t{1} << 30;  // of m, n, k and the line: sums of two are ints

struct Line {
  int row_blocks;  // tiles of the same columns
  int slices;      // of a tile
  int length;      // slices of a stripe; the last one may be shorter
  int end;         // slices in all
};

// Tiles have 8, 16, 32 or 64 rows: the fewest that hold all m, else blocks of 64.
inline int row_groups(int64_t m) { return m <= 8 ? 1 : m <= 16 ? 2 : m <= 32 ? 4 : kMaxRowGroups; }

// Whether m, n, k and sms are positive and in range, with a line that an int can count: what depends on them may then be computed.
inline bool shape_fits(int64_t m, int64_t n, int64_t k, int64_t sms, int slice_k) {
  const auto is_size = [](int64_t size, int64_t unit) { return size > 0 && size <= kMaxSize && size % unit == 0; };
  if (!is_size(m, 1) || !is_size(n, 64) || !is_size(k, 16) || sms <= 0) return false;
  const int64_t tiles = ceil_divide(m, 8 * row_groups(m)) * ceil_divide(n, kTileColumns);  // below 2^50
  return tiles <= kMaxSize && tiles * ceil_divide(k, slice_k) <= kMaxSize;
}

// For at most `sms` stripes, of a shape that fits.
inline Line line_of(int64_t m, int64_t n, int64_t k, int64_t sms, int slice_k) {
  const int64_t row_blocks = ceil_divide(m, 8 * row_groups(m)), slices = ceil_divide(k, slice_k);
  const int64_t end = row_blocks * ceil_divide(n, kTileColumns) * slices;
  return {static_cast<int>(row_blocks), static_cast<int>(slices), static_cast<int>(ceil_divide(end, sms)), static_cast<int>(end)};
}

inline int stripes(const Line& line) { return (line.end - 1) / line.length + 1; }

// A stripe leaves at most two unfinished tiles: the first it touches (slot 0) and the last (slot 1).
inline constexpr int kPartials = 2;

// Bytes of the workspace in which unfinished tiles lie; a copy of x follows, for those that need one.
inline int64_t partial_bytes(const Line& line, int64_t m) {
  return static_cast<int64_t>(sizeof(float)) * kPartials * stripes(line) * 8 * row_groups(m) * kTileColumns;
}

inline int64_t workspace_bytes(int64_t m, int64_t n, int64_t k, int64_t sms, int slice_k) {
  return shape_fits(m, n, k, sms, slice_k) ? partial_bytes(line_of(m, n, k, sms, slice_k), m) + 2 * m * k : 0;
}

}  // namespace assay::marlin
