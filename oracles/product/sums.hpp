// Within product only: the sums of a product's terms as they are, and upper bounds of the sums of their magnitudes and squares, over chosen
// rows and k.
#pragma once
#include "oracles/product/product.hpp"

namespace assay::product {

int64_t count(std::span<const Range> ranges);

/// Rows [first, end) of a panel.
struct Part {
  const Panel& panel;
  Range rows;
};

/// c = the product over the ranges' k.
void sum_terms(Part a, Part b, std::span<const Range> ranges, Target c);

enum class Of : uint8_t { magnitudes, squares };

/// c = an upper bound of the sum over the ranges' k of |a b| or (a b)^2, equal to it where that is certain (product.hpp).
void sum_above(Of, Part a, Part b, std::span<const Range> ranges, Target c);

}  // namespace assay::product
