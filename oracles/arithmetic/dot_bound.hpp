// Bounds on a dot product's error from the declared order of its sums: the path bound, and what is left where no order is declared.
//
// Path bound: along every chain the exact partial sum S is known, and E bounds how far the accumulator may lie from it. A fused sum of
// products p_i (operand exponents e_i, m stored fraction bits) with an accumulator of magnitude at most A = |S| + E aligns to
// em = max(e_i, floor(log2 A)) and cuts below q = 2^(em - F):
//   products lose at most min(|p_i|, q) each, and nothing where their lowest bit 2^(e_i - 2m), or the grid of the data, is no finer than q;
//   the accumulator loses at most min(A, q), and nothing where q is no coarser than its own last bit;
//   the sum, a multiple of q, loses at most ulp - q where it is rounded toward zero, and ulp / 2 to nearest, nothing if it is representable.
// fixtures/bounds_test.cpp holds it against the bit model of the emulator, on random data and under a search for its worst case.
//
// Drift: truncation loses bits toward zero, so errors have a mean. What alignment cuts off each product is known; an accumulator that is cut
// loses q / 2 on average, and a sum rounded toward zero (ulp - q) / 2, each with the sign of what it is cut off from. Variance:
// lost bits lie anywhere in their width w, which is w^2 / 12, and those of different steps are independent, so that their variances add up;
// what products lose is known and has none. Both are right within a factor of two of the error (of four, of the variance): what a step loses
// is proportional to the last place of the accumulator, taken at the largest sum that the bound allows, which may lie one binade higher;
// and a single lost bit is all of w / 2 wherever there is one, sqrt(3) of what is spread evenly.
// Rounding errors within w / 2 of either side are sub-Gaussian with that variance: E exp(t d) = sinh(t w / 2) / (t w / 2) <= exp(t^2 w^2 / 24).
//
// Order-free bound, of one accumulator in any order: with M >= every partial sum of every order, one fused sum errs by at most c1 * (M + E), where
// c1 = (1 + L * 2^-F) (1 + 2^-o) - 1, hence E = M * ((1 + c1)^(K / L) - 1), and the smallest step of the format more for each; M = max(sum of the positive, sum of the negative products, the
// largest product of operand powers). Random-sign bound: where the harness drew the signs of one operand, Hoeffding bounds every partial sum
// of every order by lambda * sqrt(sum p_i^2) but for a chance of 2 exp(-lambda^2 / 2); that M is smaller from K of a few hundred on.
#pragma once
#include <array>
#include <span>

#include "oracles/arithmetic/bound.hpp"
#include "oracles/arithmetic/dot.hpp"

namespace assay {

/// Columns of B that are bounded together.
inline constexpr int kPanelColumns = 8;

/// One row of A: its elements, what bounds need of them, and its scales by group of k (empty: none).
struct DotRow {
  std::vector<double> a, power;   // power: 2^max(floor(log2 |a|), least exponent of the format), 0 for zero
  double grid = 1;                // the largest power of two that divides every element; 1 for zeros
  std::vector<double> scale;
  double scale_grid = 1;
  bool finite = true;

  DotRow(std::span<const double> elements, std::span<const double> scales, const Instruction&);
};

/// Up to eight rows of B (output columns), k-major: [k][8].
struct DotPanel {
  int columns = 0;
  std::vector<double> b, power;
  std::array<double, kPanelColumns> grid, scale_grid;
  std::vector<double> scale;   // [group][8]
  std::array<bool, kPanelColumns> finite;

  DotPanel(std::span<const std::vector<double>> rows, std::span<const std::vector<double>> scales, const Instruction&);
};

/// What is known of one element.
struct DotResult {
  double value = 0;       // sum over groups of scale_a * scale_b * sum of products, in FP64
  double radius = 0;      // |exact - value|; 0 where the exactness certificate holds
  double magnitude = 0;   // sum of |scale * product|
  Bound bound;            // accumulate, promote, combine
  double drift = 0;       // the signed error to be expected if the accumulator's lost bits are uniformly distributed; path bound only
  double variance = 0;    // of the error around that, likewise; path bound only
  double fullness = 0;    // the largest magnitude an accumulator may reach, as a share of its format's largest finite value
};

/// One row times a panel. `group`: elements of k that share scales (0: no scales). `random_signs`: the harness drew the signs of A or of B
/// independently of everything else. Elements with a non-finite operand get value alone, by IEEE rules.
void bound_dots(const Dot&, const DotRow&, const DotPanel&, int64_t group, bool random_signs, std::span<DotResult>);

/// lambda of the random-sign bound: all partial sums of all elements of a run (at most 2^44) stay below it but for a chance of 1e-12.
double random_sign_lambda();

}  // namespace assay
