// Within product only: what the certificate needs to know of a row, in one pass over its doubles.
#pragma once
#include <cstdint>

namespace assay::product {

inline constexpr int64_t kLanes = 4;   // rows are padded with zeros to a multiple of this

struct RowFacts {
  double grid = 0;           // the largest power of two that divides every entry; infinity if all are zero
  double norm_squared = 0;   // within (k + 1) 2^-53 of itself
  double largest = 0;
  bool finite = true;   // if not, the rest means nothing
};

RowFacts scan_row(const double* row, int64_t padded_k);

}  // namespace assay::product
