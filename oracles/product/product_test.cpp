#include "oracles/product/product.hpp"

#include <gtest/gtest.h>

#include "oracles/product/test_rows.hpp"

namespace assay::product {
namespace {

using namespace test;

constexpr Wanted kAll{.magnitude = true, .squares = true};

Tile product_of(const Matrix& a, const Matrix& b, Wanted wanted = kAll) {
  Tile tile;
  multiply(panel(a), panel(b), wanted, tile);
  return tile;
}

/// Everything a tile says of its elements, against the exact sums. Returns the share of elements whose radius is 0.
double check(const Matrix& a, const Matrix& b, const Tile& tile, const std::string& what) {
  const double k = double(a[0].size()), above = 1 + (k + 5) * 0x1p-22;
  size_t exact = 0;
  EXPECT_EQ(tile.rows, int64_t(a.size()));
  EXPECT_EQ(tile.columns, int64_t(b.size()));
  for (size_t i = 0; i < a.size(); i++)
    for (size_t j = 0; j < b.size(); j++) {
      const Sums s = sums(a[i], b[j]);
      const size_t e = tile.at(int64_t(i), int64_t(j));
      exact += tile.radius_at(e) == 0;
      EXPECT_LE(abs(s.value - tile.value[e]), Big(tile.radius_at(e))) << what << " " << i << " " << j;
      if (!tile.magnitude.empty()) {
        EXPECT_GE(Big(tile.magnitude[e]), s.magnitude) << what;
        EXPECT_LE(Big(tile.magnitude[e]), s.magnitude * above) << what;
        EXPECT_LE(Big(tile.radius_at(e)), s.magnitude * k * 0x1p-53 * (above + 0x1p-50)) << what;
      }
      if (!tile.squares.empty()) {
        EXPECT_GE(Big(tile.squares[e]), s.squares) << what;
        EXPECT_LE(Big(tile.squares[e]), s.squares * above) << what;
      }
    }
  return double(exact) / double(a.size() * b.size());
}

class Kinds : public testing::TestWithParam<Kind> {};

TEST_P(Kinds, ValuesAreWithinTheirRadiusAndSumsAreBounds) {
  Draw d(4 + uint64_t(GetParam()));
  for (int64_t k : {1, 2, 3, 17, 255, 256, 257, 600, 3000})
    for (bool cancelling : {false, true}) {
      Matrix a = matrix(GetParam(), 2, k, d), b = matrix(GetParam(), 3, k, d);
      if (cancelling) cancel(a, b);
      const std::string what = "k " + std::to_string(k) + (cancelling ? " cancelling" : "");
      check(a, b, product_of(a, b), what);
      check(a, b, product_of(a, b, {}), what + " by norms");
    }
}

TEST_P(Kinds, TwentyThousandTerms) {
  Draw d(40 + uint64_t(GetParam()));
  const Matrix a = matrix(GetParam(), 1, 20000, d), b = matrix(GetParam(), 2, 20000, d);
  check(a, b, product_of(a, b), "k 20000");
}

TEST_P(Kinds, RangesAreSumsOverTheirTermsOnly) {
  Draw d(80 + uint64_t(GetParam()));
  const Matrix a = matrix(GetParam(), 4, 700, d), b = matrix(GetParam(), 3, 700, d);
  const Range ranges[] = {{5, 300}, {300, 301}, {400, 400}, {410, 699}};
  auto chosen = [&](const Matrix& rows) {
    Matrix some;
    for (const auto& row : rows) {
      some.emplace_back();
      for (const Range& r : ranges) some.back().insert(some.back().end(), row.begin() + r.first, row.begin() + r.end);
    }
    return some;
  };
  Tile tile;
  multiply(panel(a), panel(b), ranges, kAll, tile);
  check(chosen(a), chosen(b), tile, "ranges");
}

INSTANTIATE_TEST_SUITE_P(Product, Kinds, testing::ValuesIn(kKinds));

TEST(Product, MostSumsOfNormalBf16AreCertifiedAndAllOfE4m3AreExactAtOnce) {
  Draw d(5);
  const Matrix a = matrix(Kind::normal_bf16, 8, 1024, d), b = matrix(Kind::normal_bf16, 16, 1024, d);
  EXPECT_GT(check(a, b, product_of(a, b), "bf16"), 0.9);
  const Matrix c = matrix(Kind::any_e4m3, 3, 4096, d);
  const Tile tile = product_of(c, c, {});
  EXPECT_TRUE(tile.radius.empty());
  check(c, c, tile, "e4m3");
}

TEST(Product, E4m3IsExactWithoutASecondProductUpToK171196) {
  auto worst = [](int64_t k) {
    Matrix m(1, std::vector<double>(size_t(k), 448));
    m[0].back() = 0x1p-9;
    return m;
  };
  const Tile tile = product_of(worst(171196), worst(171196), {});
  EXPECT_TRUE(tile.radius.empty());
  EXPECT_EQ(tile.value[0], 171195 * 448.0 * 448 + 0x1p-18);
  EXPECT_FALSE(product_of(worst(171198), worst(171198), {}).radius.empty());
}

TEST(Product, SpecialsFollowIeeeAndLeaveOthersAlone) {
  Draw d(6);
  Matrix a = matrix(Kind::normal_bf16, 6, 300, d), b = matrix(Kind::normal_bf16, 4, 300, d);
  for (auto& row : b) row[10] = 2, row[20] = 0;
  b[3][10] = -2;
  const Tile clean = product_of(a, b);
  a[1][10] = INFINITY;                        // times 2 and -2
  a[2][20] = -INFINITY;                       // times 0
  a[3][10] = INFINITY, a[3][11] = INFINITY;   // cancels where the signs differ
  a[4][7] = NAN;
  for (auto& row : b) row[11] = 1;
  const Tile tile = product_of(a, b);
  for (int64_t j = 0; j < 4; j++) {
    EXPECT_EQ(tile.value[tile.at(1, j)], j == 3 ? -INFINITY : INFINITY);
    EXPECT_TRUE(std::isnan(tile.value[tile.at(2, j)]));
    EXPECT_EQ(std::isnan(tile.value[tile.at(3, j)]), j == 3);
    EXPECT_TRUE(std::isnan(tile.value[tile.at(4, j)]));
    for (int64_t i : {1, 2, 3, 4}) {
      EXPECT_EQ(tile.radius_at(tile.at(i, j)), 0);
      EXPECT_TRUE(std::isfinite(tile.magnitude[tile.at(i, j)]));
    }
  }
  Matrix finite = {a[0], a[5]};
  const Tile alone = product_of(finite, b);
  for (int64_t j = 0; j < 4; j++) {
    EXPECT_LE(std::fabs(tile.value[tile.at(0, j)] - alone.value[alone.at(0, j)]), alone.radius_at(alone.at(0, j)));
    EXPECT_EQ(tile.magnitude[tile.at(5, j)], alone.magnitude[alone.at(1, j)]);
  }
}

TEST(Product, SpecialsOutsideTheRangesDoNotCount) {
  const Matrix a{{1, NAN, 2}}, b{{3, 4, INFINITY}};
  const Range first{0, 1}, last{2, 3};
  Tile tile;
  multiply(panel(a), panel(b), {&first, 1}, kAll, tile);
  EXPECT_EQ(tile.value[0], 3);
  multiply(panel(a), panel(b), {&last, 1}, kAll, tile);
  EXPECT_EQ(tile.value[0], INFINITY);
}

TEST(Product, EmptyShapes) {
  const Tile none = product_of(Matrix{}, Matrix{});
  EXPECT_TRUE(none.value.empty());
  Tile tile;
  multiply(Panel(0, 0, 2, [](int64_t, std::span<double>) {}), Panel(0, 0, 3, [](int64_t, std::span<double>) {}), kAll, tile);
  EXPECT_EQ(tile.value, std::vector<double>(6, 0.0));
  EXPECT_EQ(tile.magnitude, std::vector<double>(6, 0.0));
  EXPECT_TRUE(tile.radius.empty());
  const Matrix two{{1, 2}}, three{{1, 2, 3}};
  EXPECT_THROW(product_of(two, three), std::logic_error);
  const Range beyond{0, 3};
  EXPECT_THROW(multiply(panel(two), panel(two), {&beyond, 1}, kAll, tile), std::logic_error);
}

TEST(Product, RowsOfZerosAreExact) {
  Draw d(7);
  Matrix a = matrix(Kind::any_bf16, 3, 50, d);
  a[1].assign(50, 0.0);
  const Tile tile = product_of(a, a);
  for (int64_t j = 0; j < 3; j++) {
    EXPECT_EQ(tile.value[tile.at(1, j)], 0);
    EXPECT_EQ(tile.magnitude[tile.at(1, j)], 0);
    EXPECT_EQ(tile.radius_at(tile.at(1, j)), 0);
  }
}

}  // namespace
}  // namespace assay::product
