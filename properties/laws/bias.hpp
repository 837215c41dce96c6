// What chance can do to a sum of errors, where every single one is inside its bound. Shared by the laws that look at all elements together.
//
// Theorem (Bernstein; Boucheron, Lugosi and Massart, Concentration Inequalities, 2.7 and 2.8; the left tail of sums of squares: Maurer
// 2003). D_i independent, in intervals no wider than R that hold 0, mu_i their means, Q = sum D_i^2. But for a chance of exp(-L) each
//   |sum (D_i - mu_i)| <= sqrt(2 V L) + R L / 3 on either side,        V = sum of the variances <= E[Q]
//   sqrt(E[Q]) <= sqrt(Q + R^2 L / 2) + R sqrt(L / 2)                  from E[Q] - Q <= R sqrt(2 E[Q] L)
// so with L = ln(3 / alpha) all three hold but for a chance of alpha. Nothing is assumed of how the D_i are distributed; R is the judge's:
// legal values only are summed.
//
// alpha = 1e-12 for one case: a thousand of them in a run are wrong about a right kernel once in 1e9 runs, if the D_i have the means
// that the law supposes.
#pragma once
#include <cmath>

#include "fixtures/verdict.hpp"

namespace assay::bias {

inline constexpr double kAlpha = 1e-12;

/// How far a sum of residuals may lie from its mean by chance, `squares` being the sum of their squares.
inline double noise(double squares, double range, double alpha) {
  const double l = std::log(3 / alpha);
  return std::sqrt(2 * l) * (std::sqrt(squares + range * range * l / 2) + range * std::sqrt(l / 2)) + range * l / 3;
}

/// The sums of residuals that a right kernel may leave: what is systematic, and chance.
struct Range {
  double low = 0, high = 0;
};

inline Range allowed(const Residuals& r, double squares, double alpha) {
  const double chance = noise(squares, r.widest, alpha) + r.one_sided;
  return {std::fmin(0, 2 * r.drift) - chance, std::fmax(0, 2 * r.drift) + chance};
}

/// Whether results that are all legal could leave the range at all: the largest sum they can have, with the squares that it would bring.
inline bool can_be_left(const Residuals& r, double alpha) {
  return r.up > allowed(r, r.up * r.widest, alpha).high || -r.down < allowed(r, r.down * r.widest, alpha).low;
}

inline bool is_biased(const Residuals& r, double alpha) {
  const Range range = allowed(r, r.squares, alpha);
  return r.seen < range.low || r.seen > range.high;
}

}  // namespace assay::bias
