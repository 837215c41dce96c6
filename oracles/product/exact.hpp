// The last word on one element: its dot product without any rounding, by integers.
//
// 128 bits where they hold every partial sum (all but bf16 and FP32 rows of very wide exponents), else Boost's integers of any size. The
// result is a Wide that holds the sum exactly, or, where the sum needs more than 300 bits, its leading 300 with the last one set if
// anything below it is not zero: rounding that once to any format gives what rounding the exact sum gives, ties included.
#pragma once
#include "oracles/arithmetic/wide.hpp"
#include "oracles/product/groups.hpp"

namespace assay::product {

/// sum over k of a[k] b[k] for finite entries.
Wide exact_dot(std::span<const double> a, std::span<const double> b);

/// An element of multiply(): of its finite entries, over all k or over these ranges.
Wide exact_dot(const Panel& a, int64_t row, const Panel& b, int64_t column);
Wide exact_dot(const Panel& a, int64_t row, const Panel& b, int64_t column, std::span<const Range> ranges);

/// An element of multiply_groups(). std::domain_error if an entry times its scale does not fit a double.
Wide exact_dot(const Scaled& a, int64_t row, const Scaled& b, int64_t column, int64_t width);

}  // namespace assay::product
