// Products whose terms carry a scale for each group of k: sum over g of a_scale[i][g] b_scale[j][g] sum over the group's k of a[i][k]
// b[j][k], as FP8 with 1x128 and 128x128 blocks has it (a scale of a block of columns is repeated for each of its rows of b).
//
// Radius. The inner sums of a group are what product.hpp says, mostly exact; products of two FP32 scales fill 48 bits and are exact. What
// is left are roundings by 2^-53 = u. With exact inner sums s a group's scaled s passes at most G + 1 of them, G the number of groups (its
// scales' product, its product with s, G - 1 additions), so the error is at most ((1 + u)^(G + 1) - 1) sum|scaled s|, for which (G + 2) 2 u
// is ample; otherwise a single term passes at most n + G + 1, n the width of a group, and the error is at most (n + G + 2) 2 u sum|scaled
// term|. Certificate: scaled s are multiples of g = the grids of values and scales. If sum|scaled s| <= 2^53 g, every product and partial
// sum of them is a double and the radius is 0: so it is with scales that are powers of two. (A product of scales alone is at most |scaled
// s| / grid of the values.) Without exact inner sums sum|scaled term| takes its place.
#pragma once
#include "oracles/product/product.hpp"

namespace assay::product {

/// Rows of values and, one for each group, of their scales.
struct Scaled {
  const Panel& values;
  const Panel& scales;   // k() of it groups, as many rows as values
};

/// Groups are `width` k each, the last one what is left. Gives value, magnitude (if wanted: the scaled terms'), partials and radius; no
/// squares.
void multiply_groups(const Scaled& a, const Scaled& b, int64_t width, Wanted, Tile&);

}  // namespace assay::product
