// From an output to its record and back: what is recorded of a tensor, and how a tensor compares with what was recorded.
#pragma once
#include "fixtures/judge/indices.hpp"
#include "fixtures/judge/judge.hpp"
#include "fixtures/subject.hpp"
#include "golden/record.hpp"

namespace assay::golden {

/// Up to so many elements a tensor is recorded as codes (32 KiB of BF16); beyond, as a hash for each tile of at most kTileElements.
inline constexpr int64_t kWholeElements = 16384, kTileElements = 256;

struct Shape {
  int64_t rows = 0, columns = 0;  // rows 0: no tiles
};

/// How a tensor of a case is cut. Tiles of a run that may be `sampled` (emulated by some of its blocks) lie within the block that computes
/// their first element, so that whatever blocks run, they compute whole tiles.
Shape tile_shape(const TensorSpec&, const Subject&, const Parameters&, bool sampled);

/// The record of a tensor that a run computed whole.
TensorRecord recorded(const Tensor&, Shape tile);

/// The tensor whose codes a record holds, which is of this shape and format; gaps between rows are zero.
Tensor restored(const TensorRecord&, const TensorSpec&);

/// An element whose code is not the recorded one.
struct Change {
  int64_t row = 0, column = 0;
  uint64_t found = 0, recorded = 0;
};

struct Comparison {
  uint64_t elements = 0;              // that were compared
  uint64_t units = 0, differing = 0;  // elements, or tiles of a tiled record, that were compared; and those of them that differ
  std::vector<Change> changes;        // all that differ; of tiles the single element of each of the first few that one alone explains
  std::string difference;             // one line about the first difference and how many there are; empty if none
  std::vector<Seen> rows, columns;    // in which rows and columns elements differ, or tiles
  bool comparable = true;             // false: the record is of another name, shape or format

  /// Whether the recorded code of every element is known.
  bool knows_all() const { return comparable && changes.size() == differing; }
};

/// Compares the elements, or the tiles, that the run computed whole. A record of another shape or format differs in everything.
Comparison compare(const TensorRecord&, const Tensor&, const Computed&);

/// How many numbers of the format lie from one code to the other, both zeros alike; nothing where one is NaN.
std::optional<uint64_t> distance_in_ulp(Format, uint64_t a, uint64_t b);

}  // namespace assay::golden
