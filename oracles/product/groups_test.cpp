#include "oracles/product/groups.hpp"

#include <gtest/gtest.h>

#include "oracles/product/test_rows.hpp"

namespace assay::product {
namespace {

using namespace test;

struct Problem {
  Matrix a, a_scales, b, b_scales;
  int64_t width;

  Tile product(Wanted wanted) const {
    Tile tile;
    const Panel left = panel(a), left_scales = panel(a_scales), right = panel(b), right_scales = panel(b_scales);
    multiply_groups({left, left_scales}, {right, right_scales}, width, wanted, tile);
    return tile;
  }
};

Matrix scales(int64_t rows, int64_t groups, bool powers, Draw& d) {
  Matrix m(size_t(rows), std::vector<double>(size_t(groups), 0.0));
  for (auto& row : m)
    for (double& s : row) s = powers ? std::exp2(double(d.below(9)) - 4) : double(float(0.001 * (1 + d.unit())));
  return m;
}

Problem problem(Kind kind, int64_t m, int64_t n, int64_t k, int64_t width, bool powers, Draw& d) {
  const int64_t groups = (k + width - 1) / width;
  return {matrix(kind, m, k, d), scales(m, groups, powers, d), matrix(kind, n, k, d), scales(n, groups, powers, d), width};
}

/// Returns the share of elements whose radius is 0.
double check(const Problem& p, const Tile& tile) {
  size_t exact = 0;
  const double k = double(p.a[0].size());
  for (size_t i = 0; i < p.a.size(); i++)
    for (size_t j = 0; j < p.b.size(); j++) {
      Big value = 0, magnitude = 0, partials = 0;
      for (size_t g = 0; g < p.a_scales[0].size(); g++) {
        const size_t first = g * size_t(p.width), count = std::min(size_t(p.width), p.a[0].size() - first);
        const Sums s = sums(std::span(p.a[i]).subspan(first, count), std::span(p.b[j]).subspan(first, count));
        const Big scale = Big(p.a_scales[i][g]) * p.b_scales[j][g];
        value += scale * s.value, magnitude += abs(scale) * s.magnitude, partials += abs(scale * s.value);
      }
      const size_t e = tile.at(int64_t(i), int64_t(j));
      exact += tile.radius_at(e) == 0;
      EXPECT_LE(abs(value - tile.value[e]), Big(tile.radius_at(e))) << i << " " << j;
      EXPECT_GE(Big(tile.partials[e]), partials);
      EXPECT_LE(Big(tile.partials[e]), partials * (1 + 0x1p-40) + Big(2 * tile.radius_at(e)));
      if (tile.magnitude.empty()) continue;
      EXPECT_LE(Big(tile.radius_at(e)), magnitude * (2 * k + 3) * 0x1p-52 * (1 + k * 0x1p-20));
      EXPECT_GE(Big(tile.magnitude[e]), magnitude);
      EXPECT_LE(Big(tile.magnitude[e]), magnitude * (1 + (k + 10) * 0x1p-22));
    }
  return double(exact) / double(p.a.size() * p.b.size());
}

TEST(Groups, ValuesAreWithinTheirRadius) {
  Draw d(1);
  for (Kind kind : {Kind::any_e4m3, Kind::any_e5m2, Kind::normal_bf16, Kind::any_fp16})
    for (auto [k, width] : {std::pair<int64_t, int64_t>{1, 1}, {128, 128}, {1000, 128}, {64, 16}, {5, 100}})
      for (bool powers : {false, true}) {
        const Problem p = problem(kind, 3, 4, k, width, powers, d);
        check(p, p.product({.magnitude = true}));
        check(p, p.product({}));
      }
}

TEST(Groups, PowersOfTwoAndE4m3AreExact) {
  Draw d(2);
  const Problem p = problem(Kind::any_e4m3, 5, 5, 2048, 128, true, d);
  EXPECT_EQ(check(p, p.product({.magnitude = true})), 1);
  EXPECT_EQ(check(p, p.product({})), 1);
}

TEST(Groups, RadiusOfFp8IsThatOfAFewRoundings) {
  Draw d(3);
  const Problem p = problem(Kind::any_e4m3, 4, 4, 1024, 128, false, d);
  const Tile tile = p.product({});
  check(p, tile);
  for (size_t e = 0; e < tile.value.size(); e++) EXPECT_LE(tile.radius_at(e), 10.01 * 0x1p-52 * tile.partials[e]);
}

TEST(Groups, BlocksLargerThanTheCachesPart) {
  Draw d(4);
  const Problem p = problem(Kind::any_e4m3, 200, 390, 24, 8, false, d);
  const Tile tile = p.product({.magnitude = true});
  Problem corner{{p.a[199], p.a[0]},
                 {p.a_scales[199], p.a_scales[0]},
                 {p.b[389], p.b[192], p.b[0]},
                 {p.b_scales[389], p.b_scales[192], p.b_scales[0]},
                 8};
  const Tile alone = corner.product({.magnitude = true});
  check(corner, alone);
  const int64_t rows[] = {199, 0}, columns[] = {389, 192, 0};
  for (int64_t i = 0; i < 2; i++)
    for (int64_t j = 0; j < 3; j++) {
      const size_t e = tile.at(rows[i], columns[j]), f = alone.at(i, j);
      EXPECT_LE(std::fabs(tile.value[e] - alone.value[f]), tile.radius_at(e) + alone.radius_at(f));
      EXPECT_EQ(tile.magnitude[e] > 0, alone.magnitude[f] > 0);
    }
}

TEST(Groups, SpecialEntriesAndScales) {
  Draw d(5);
  Problem p = problem(Kind::any_e4m3, 4, 3, 32, 8, false, d);
  const Problem clean = p;
  p.a[0][9] = NAN;
  p.a_scales[1][2] = INFINITY;
  p.b_scales[2][3] = NAN;
  std::fill_n(p.b[1].begin() + 16, 8, 0.0);   // infinite scale times a sum of zero
  const Tile tile = p.product({.magnitude = true}), before = clean.product({.magnitude = true});
  for (int64_t j = 0; j < 3; j++) EXPECT_TRUE(std::isnan(tile.value[tile.at(0, j)]));
  for (int64_t i = 0; i < 4; i++) EXPECT_TRUE(std::isnan(tile.value[tile.at(i, 2)]));
  EXPECT_TRUE(std::isinf(tile.value[tile.at(1, 0)]));
  EXPECT_TRUE(std::isnan(tile.value[tile.at(1, 1)]));
  for (int64_t i : {2, 3}) EXPECT_EQ(tile.value[tile.at(i, 0)], before.value[before.at(i, 0)]);
  for (double m : tile.magnitude) EXPECT_TRUE(std::isfinite(m));
}

TEST(Groups, ShapesThatDoNotFitAreRefused) {
  const Panel four = panel({{1, 2, 3, 4}}), two = panel({{1, 2}}), one = panel({{1}});
  Tile tile;
  EXPECT_NO_THROW(multiply_groups({four, two}, {four, two}, 2, {}, tile));
  EXPECT_NO_THROW(multiply_groups({four, two}, {four, two}, 3, {}, tile));
  EXPECT_THROW(multiply_groups({four, two}, {four, two}, 4, {}, tile), std::logic_error);
  EXPECT_THROW(multiply_groups({four, two}, {four, one}, 2, {}, tile), std::logic_error);
  EXPECT_THROW(multiply_groups({four, two}, {four, two}, 0, {}, tile), std::logic_error);
}

}  // namespace
}  // namespace assay::product
