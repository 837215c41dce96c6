// A search for counterexamples where the certificate ends: sums whose magnitudes add up to just below and just above 2^53 units.
#include <gtest/gtest.h>

#include "oracles/product/product.hpp"
#include "oracles/product/test_rows.hpp"

namespace assay::product {
namespace {

using namespace test;

struct Found {
  int exact = 0, open = 0, open_and_rounded = 0;
  double last_exact = 0, first_open = INFINITY;   // sum|p| in units of 2^53 g
};

/// Tries one pair of rows.
void attempt(const std::vector<double>& a, const std::vector<double>& b, Wanted wanted, Found& found) {
  Tile tile;
  const Panel row = panel({a}), column = panel({b});
  multiply(row, column, wanted, tile);
  const Sums s = sums(a, b);
  const double share = double(Big(s.magnitude / Big(0x1p53 * row.grid(0) * column.grid(0))));
  const bool right = s.value == Big(tile.value[0]);
  if (tile.radius_at(0) == 0) {
    ASSERT_TRUE(right) << "certified, but rounded at " << share;
    ASSERT_TRUE(!wanted.magnitude || Big(tile.magnitude[0]) >= s.magnitude);
    found.exact++, found.last_exact = std::max(found.last_exact, share);
  } else {
    found.open++, found.first_open = std::min(found.first_open, share), found.open_and_rounded += !right;
  }
}

double odd_below(Draw& d, int bits) { return double(d.below(uint64_t{1} << bits) | 1); }

/// Rows of odd whole numbers, the first of them grown until sum|p| lies around the limit.
void search(Draw& d, Wanted wanted, bool parallel, bool wide, Found& found) {
  const size_t k = 1 + d.below(6);
  std::vector<double> a(k), b(k);
  for (size_t i = 0; i < k; i++) a[i] = d.sign() * odd_below(d, 24), b[i] = parallel ? a[i] : d.sign() * odd_below(d, 24);
  double rest = 0;
  for (size_t i = 1; i < k; i++) rest += std::fabs(a[i] * b[i]);
  const double share = 1 + (d.below(3) == 0 ? 0 : (d.unit() - 0.5) * std::exp2(-double(d.below(52))));
  b[0] = parallel ? 1 : odd_below(d, 1 + int(d.below(26)));   // small: fine steps of a[0]
  a[0] = std::floor((0x1p53 * share - rest) / b[0]) + double(d.below(3)) - 1;
  if (parallel) a[0] = b[0] = std::floor(std::sqrt(0x1p53 * share - rest));
  if (wide) a.push_back(0x1p80), b.push_back(0), a.push_back(0), b.push_back(0x1p80);   // floats no longer hold the rows' exponents
  attempt(a, b, wanted, found);
}

void expect_both_sides(const Found& found, double gap) {
  EXPECT_GT(found.exact, 100);
  EXPECT_GT(found.open_and_rounded, 100);
  EXPECT_LE(found.last_exact, 1);
  EXPECT_GT(found.last_exact, 1 - gap);
  EXPECT_GT(found.first_open, 1 - gap);
}

TEST(Certificate, SumsOfFloats) {
  Draw d(1);
  Found found;
  for (int i = 0; i < 20000; i++) search(d, {.magnitude = true}, false, false, found);
  expect_both_sides(found, 12 * 0x1p-22);
}

TEST(Certificate, SumsOfDoubles) {
  Draw d(2);
  Found found;
  for (int i = 0; i < 20000; i++) search(d, {.magnitude = true}, false, true, found);
  expect_both_sides(found, 14 * 0x1p-51);
}

TEST(Certificate, Norms) {
  Draw d(3);
  Found found;
  for (int i = 0; i < 20000; i++) search(d, {}, true, false, found);
  EXPECT_GT(found.exact, 100);
  EXPECT_GT(found.open, 100);
  EXPECT_LE(found.last_exact, 1);
  EXPECT_GT(found.first_open, 1 - 30 * 0x1p-52);
}

TEST(Certificate, ASumOfMagnitudesIsUnraisedOnlyWhereFloatsHoldIt) {
  Draw d(4);
  int equal = 0;
  for (int i = 0; i < 20000; i++) {
    std::vector<double> a{0, odd_below(d, 8)}, b{odd_below(d, 9), -odd_below(d, 9)};
    a[0] = std::floor((0x1p24 * (1 + (d.unit() - 0.5) * std::exp2(-double(d.below(24)))) + a[1] * b[1]) / b[0]);
    Tile tile;
    multiply(panel({a}), panel({b}), {.magnitude = true}, tile);
    const Sums s = sums(a, b);
    ASSERT_GE(Big(tile.magnitude[0]), s.magnitude);
    if (Big(tile.magnitude[0]) == s.magnitude) equal++;
    else ASSERT_GT(s.magnitude, Big(0x1p24 * (1 - 8 * 0x1p-23)));
  }
  EXPECT_GT(equal, 1000);
}

}  // namespace
}  // namespace assay::product
