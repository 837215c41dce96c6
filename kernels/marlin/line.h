// How the work of a product y = x @ W is dealt to blocks, as host and device both need it.
//
// A tile is kTileColumns columns of y and one block of rows; it is made of slices of k. All slices of all tiles lie in one line: tiles by
// columns, within these by rows (so that neighbours read the same weights), and the slices of a tile by ascending k. The line is cut into
// stripes of equal length, one for each thread block; a tile may begin in one stripe and end in a later one.
#pragma once

#include "kernels/common/arguments.h"
#include "kernels/launch.h"

namespace assay::marlin {

inline constexpr int kTileColumns = 256;
inline constexpr int kMaxRowGroups = 8;  // of 8 rows: a tile has at most 64 rows

struct Line {
  int row_blocks;  // tiles of the same columns
  int slices;      // of a tile
  int length;      // slices of a stripe; the last one may be shorter
  int end;         // slices in all
};

// Tiles have 8, 16, 32 or 64 rows: the fewest that hold all m, else blocks of 64.
inline int row_groups(int64_t m) { return m <= 8 ? 1 : m <= 16 ? 2 : m <= 32 ? 4 : kMaxRowGroups; }

// For at most `sms` stripes. The slices in all must fit an int.
inline Line line_of(int64_t m, int64_t n, int64_t k, int slice_k, int64_t sms) {
  const int64_t row_blocks = ceil_divide(m, 8 * row_groups(m)), slices = ceil_divide(k, slice_k);
  const int64_t end = row_blocks * ceil_divide(n, kTileColumns) * slices;
  return {static_cast<int>(row_blocks), static_cast<int>(slices), static_cast<int>(ceil_divide(end, sms)), static_cast<int>(end)};
}

inline int stripes(const Line& line) { return (line.end - 1) / line.length + 1; }

// A stripe leaves at most two unfinished tiles: the first it touches (slot 0) and the last (slot 1).
inline constexpr int kSlots = 2;

inline int64_t partial_floats(const Line& line, int64_t m) {
  return static_cast<int64_t>(kSlots) * stripes(line) * 8 * row_groups(m) * kTileColumns;
}

}  // namespace assay::marlin
