// Where the wrong elements of an output lie: in the plane of rows and columns, and along each index that means something.
#pragma once
#include <string>
#include <vector>

#include "fixtures/case/case.hpp"
#include "fixtures/judge/indices.hpp"
#include "fixtures/subject.hpp"

namespace assay::properties {

/// Along one index: a dimension of the tensor (row, column, token, head), the tile (the block that computes an element), the group.
struct FailingAxis {
  std::string name;
  int64_t length = 0, hit = 0;  // indices there are, and with a wrong element
  std::string which;            // those in words (in_words)
  std::vector<double>
      shares;  // of the looked-at elements of each of at most kStrip equal parts of the axis, that are wrong; -1: none looked at
};
inline constexpr int64_t kStrip = 96;

struct FailingMap {
  std::string tensor;
  int64_t rows = 0, columns = 0, looked_at = 0, wrong = 0;
  int64_t cell_rows = 1, cell_columns = 1;  // elements that a cell spans
  int64_t grid_rows = 0, grid_columns = 0;
  std::vector<double> cells;  // row by row, as FailingAxis::shares
  std::vector<FailingAxis> axes;
};
inline constexpr int64_t kGridRows = 48, kGridColumns = 64;  // at most

/// `elements`: row by row, all of the tensor.
FailingMap failing_map(const Subject&, const Case&, const TensorSpec&, const std::vector<Seen>& elements);

}  // namespace assay::properties
