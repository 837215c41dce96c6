// Within product only: what the certificate makes of upper bounds of sums of magnitudes.
#pragma once
#include <cstdint>

namespace assay::product {

/// 1 + units 2^-52: covers twice as many roundings by 2^-53.
inline double above(int64_t units) { return 1 + double(units) * 0x1p-52; }

/// One row of elements: an upper bound of the sum of each one's magnitudes, and the grids.
struct Row {
  int64_t count = 0;
  const double* bound = nullptr;
  const double* column_grid = nullptr;
  double row_grid = 0;
};

/// radius = 0 where bound <= 2^53 row_grid column_grid, else error * bound.
inline void certify_row(const Row& row, double error, double* radius) {
  const double limit = 0x1p53 * row.row_grid;
  for (int64_t j = 0; j < row.count; j++) {
    const double inexact = row.bound[j] <= limit * row.column_grid[j] ? 0 : 1;   // a product in the choice would not be vectorised
    radius[j] = row.bound[j] * error * inexact;
  }
}

}  // namespace assay::product
