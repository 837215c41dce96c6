// Law `unbiased` and what it rests on, without a kernel: results made up from exact values, errors that a right one has, and wrong ones.
#include "properties/laws/bias.hpp"
#include "properties/test_residuals.hpp"

namespace assay {
namespace {

Residuals residuals_of(const Made& made, uint64_t seed) { return verdict_of(made, seed).residuals; }

int accused(const Made& made, int runs, double alpha, uint64_t seed) {
  return accused([](const Verdict& v, double a) { return bias::is_biased(v.residuals, a); }, made, runs, alpha, seed);
}

TEST(Unbiased, ResidualsAreCountedInValuesAwayFromZero) {
  const Residuals r = residuals_of({.elements = 20000, .shift = 0x1p-8}, 1);
  EXPECT_NEAR(r.elements, 20000, 5) << "all but subnormal ones";
  EXPECT_NEAR(r.size / r.elements, std::sqrt(2 / M_PI), 0.02);
  EXPECT_NEAR(r.seen / r.elements, 0x1p-8, 0x1p-12);
  EXPECT_NEAR(r.up / r.elements, 0x1p-6, 0x1p-9) << "rounding keeps the mean";
  EXPECT_NEAR(r.down / r.elements, 0x1p-6, 0x1p-9);
  EXPECT_EQ(r.one_sided, 0);
}

/// At alpha = 1e-4 a law that is wrong as often as it may be accuses 0.4 of 4000 right outputs on average, and more than 5 once in 1e5.
/// Half of them have a drift that was declared; errors are wider than a number, or nearly nothing.
TEST(Unbiased, RightOutputsAreAccusedNoMoreOftenThanStated) {
  int count = 0;
  for (double drift : {0.0, -0x1p-8})
    for (double spread : {0x1p-7, 0x1p-12}) count += accused({.elements = 512, .spread = spread, .drift = drift}, 1000, 1e-4, 100);
  EXPECT_LE(count, 5);
}

/// Bernstein's inequality is safe, not sharp. What it rests on must be there all the same: the sum over the root of its squares is spread
/// like a standard normal number, and the threshold at alpha = 1e-12 is beyond the 7.1 of those that a normal sum would need on two sides.
TEST(Unbiased, TheSumSpreadsAsItsSquaresSay) {
  double sum = 0, squares = 0, least = INFINITY;
  constexpr int kRuns = 2000;
  for (int run = 0; run < kRuns; run++) {
    const Residuals r = residuals_of({.elements = 512}, 5000 + uint64_t(run));
    const double z = r.seen / std::sqrt(r.squares);
    sum += z, squares += z * z;
    least = std::min(least, bias::noise(r.squares, r.widest, bias::kAlpha) / std::sqrt(r.squares));
  }
  EXPECT_NEAR(sum / kRuns, 0, 4 / std::sqrt(kRuns));
  EXPECT_NEAR(squares / kRuns, 1, 4 * std::sqrt(2.0 / kRuns));
  EXPECT_GT(least, 7.1);
}

/// 0.1 % of x is 0.18 of a BF16 number on the mean. At alpha = 1e-12 it is found in 99 of 100 outputs of 8192 elements, with bounds of four
/// numbers that hide it in every element; never in an eighth as many, whose mean says too little.
TEST(Unbiased, OneInAThousandIsFound) {
  EXPECT_GE(accused({.elements = 8192, .factor = 1.001}, 200, bias::kAlpha, 9000), 198);
  EXPECT_GE(accused({.elements = 8192, .factor = 0.999}, 200, bias::kAlpha, 9000), 198);
  EXPECT_EQ(accused({.elements = 1024, .factor = 1.001}, 200, bias::kAlpha, 9000), 0);
}

TEST(Unbiased, TruncationOfTheResultIsFound) {
  EXPECT_GE(accused({.elements = 16384, .shift = -0x1p-9}, 100, bias::kAlpha, 9000), 99);  // half a BF16 number between 1/2 and 1
}

TEST(Unbiased, ADeclaredDriftIsAllowedTwiceAndMoreIsNot) {
  EXPECT_EQ(accused({.elements = 16384, .drift = -0x1p-9}, 50, bias::kAlpha, 9000), 0);
  EXPECT_EQ(accused({.elements = 16384, .drift = -0x1p-9, .shift = -0x1p-9}, 50, bias::kAlpha, 9000), 0);
  EXPECT_EQ(accused({.elements = 16384, .drift = -0x1p-9, .shift = -0x1p-7}, 50, bias::kAlpha, 9000), 50);
  EXPECT_EQ(accused({.elements = 16384, .drift = -0x1p-9, .shift = 0x1p-8}, 50, bias::kAlpha, 9000), 50);
}

/// Outputs of which every right one would pass are no evidence: the law does not speak of them.
TEST(Unbiased, SpeaksOnlyWhereLegalResultsCouldFail) {
  const Residuals few = residuals_of({.elements = 16}, 1), many = residuals_of({.elements = 4096}, 1);
  EXPECT_FALSE(bias::can_be_left(few, bias::kAlpha));
  EXPECT_TRUE(bias::can_be_left(many, bias::kAlpha));
  Residuals loose = many;
  loose.one_sided = loose.up;
  EXPECT_FALSE(bias::can_be_left(loose, bias::kAlpha)) << "errors that may all have one sign use up the bound";
}

}  // namespace
}  // namespace assay
