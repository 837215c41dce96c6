// Exact matrix products, as far as FP64 gives them and with a radius where it does not: c[i][j] = sum over k of a[i][k] b[j][k] for two
// panels of rows (torch's x W^T), the sum of the magnitudes of its terms, and the sum of their squares.
//
// Radius. u = 2^-53. A sum of n products p in any order, with or without FMA, is within n u sum|p| of the exact one: a rounding of c + t, c
// a double, errs by at most min(u |c + t|, |t|), and by induction over the tree of additions that bounds the whole by u (n - 1) sum|t|,
// without second-order terms (Jeannerod and Rump, "Improved error bounds for inner products in floating-point arithmetic", SIAM J. Matrix
// Anal. Appl. 34, 2013, theorem 3.1, for separate products, each of which adds u |p|; an FMA's t is the exact product itself). Panels keep
// out of the range where anything underflows.
//
// Certificate. All terms are multiples of g = grid(i) grid(j). If sum|p| <= 2^53 g every partial sum in every order is a multiple of g no
// larger than 2^53 g, so a double: nothing was rounded, and the radius is 0. sum|p| is summed in floats, twice as fast, where the rows'
// exponents permit, else in doubles, and S is itself within (n + 2) u of it (u that of the format, each factor rounded once), so
// sum|p| <= S / (1 - (n + 2) u) <= S (1 + 2 (n + 2) u) where (n + 2) u <= 1/2; a few more units in the factor cover roundings on the way.
// If S so raised is at most 2^24 g (2^53 g) S was not rounded either and stands for sum|p| unraised.
// sum|p| <= norm(i) norm(j) (Cauchy-Schwarz) needs no second product: where that suffices for all rows the whole tile is exact at once.
// Between E4M3 values (multiples of 2^-9 up to 448) it does up to k = 171,196 whatever they are.
//
// Specials. An element whose row or column holds an infinity or NaN is what IEEE 754 makes of its terms, NaN or an infinity, with radius 0;
// its magnitude is that of its finite terms.
#pragma once
#include "oracles/product/panel.hpp"

namespace assay::product {

/// [first, end) of rows, columns or k.
struct Range {
  int64_t first = 0, end = 0;
  int64_t count() const { return end - first; }
};

struct Wanted {
  bool magnitude = false, squares = false;   // each costs half a product, or one if exponents are wide
};

/// What a product gives; row-major, `columns` apart. Reuse one object for many products and its memory is allocated once.
struct Tile {
  int64_t rows = 0, columns = 0;
  std::vector<double> value;
  /// If wanted: sum|p| and sum p^2, as upper bounds by a factor of at most 1 + (k + 5) 2^-22, and exactly where they are at most
  /// 2^24 / (1 + (k + 5) 2^-23) units of their terms' grid.
  std::vector<double> magnitude, squares;
  /// Products by group only: the sum over the groups of abs(scales * sum of the group), an upper bound (groups.hpp).
  std::vector<double> partials;
  /// abs(exact - value) <= radius. Empty if every element is exact; see radius_at.
  std::vector<double> radius;

  size_t at(int64_t row, int64_t column) const { return size_t(row * columns + column); }
  double radius_at(size_t element) const { return radius.empty() ? 0 : radius[element]; }
};

/// The product of all rows of a with all rows of b, over all k. Thread-safe.
void multiply(const Panel& a, const Panel& b, Wanted, Tile&);

/// The same over some k only, in any number of disjoint ranges: a split or a chain of a kernel's sum.
void multiply(const Panel& a, const Panel& b, std::span<const Range> ranges, Wanted, Tile&);

/// What IEEE 754 makes of the terms of an element that has a special entry in these ranges, NaN or an infinity; 0 if it has none.
double special_sum(const Panel& a, int64_t row, const Panel& b, int64_t column, std::span<const Range> ranges);

}  // namespace assay::product
