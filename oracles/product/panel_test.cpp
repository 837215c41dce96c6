#include "oracles/product/panel.hpp"

#include <gtest/gtest.h>

#include "oracles/product/test_rows.hpp"

namespace assay::product {
namespace {

using namespace test;

TEST(Panel, FactsAreThoseOfTheRows) {
  Draw d(2);
  for (Kind kind : kKinds)
    for (int64_t k : {1, 3, 4, 5, 8, 64, 77}) {
      const Matrix rows = matrix(kind, 5, k, d);
      const Panel p = panel(rows);
      ASSERT_EQ(p.rows(), 5);
      double worst = 0, window = 0;
      for (int64_t i = 0; i < 5; i++) {
        const auto& row = rows[size_t(i)];
        const double grid = p.grid(i);
        Big norm = 0;
        double largest = 0;
        bool finer = true;
        for (double x : row) {
          norm += Big(x) * x, largest = std::max(largest, std::fabs(x));
          EXPECT_EQ(std::fmod(x, grid), 0);
          finer &= std::fmod(x, 2 * grid) == 0;
        }
        EXPECT_EQ(finer, largest == 0);
        EXPECT_GE(Big(p.norm(i)), sqrt(norm));
        EXPECT_LE(Big(p.norm(i)), sqrt(norm) * (1 + double(k + 4) * 0x1p-51));
        if (largest == 0) {
          EXPECT_EQ(grid, INFINITY);
          EXPECT_EQ(p.binade(i), 1);
        } else {
          EXPECT_LE(p.binade(i), largest);
          EXPECT_GT(2 * p.binade(i), largest);
          worst = std::max(worst, p.norm(i) / grid), window = std::max(window, largest / grid);
        }
        EXPECT_TRUE(std::ranges::equal(p.finite_row(i), row));
      }
      EXPECT_EQ(p.worst_ratio(), worst);
      EXPECT_EQ(p.window(), window);
    }
}

TEST(Panel, SpecialsAreKeptAside) {
  const Matrix rows{{1, NAN, 3}, {INFINITY, 5, -INFINITY}, {0.5, 1, 2}};
  const Panel p = panel(rows);
  EXPECT_TRUE(p.has_specials());
  EXPECT_EQ(p.specials(0).size(), 1u);
  EXPECT_EQ(p.specials(1).size(), 2u);
  EXPECT_TRUE(p.specials(2).empty());
  EXPECT_EQ(p.finite_row(0)[1], 0);
  EXPECT_TRUE(std::isnan(p.entry(0, 1)));
  EXPECT_EQ(p.entry(0, 2), 3);
  EXPECT_EQ(p.entry(1, 0), INFINITY);
  EXPECT_EQ(p.entry(1, 2), -INFINITY);
  EXPECT_EQ(p.grid(1), 1);
}

TEST(Panel, TakesRowsInTheOrderGivenAndCanBeAssignedAgain) {
  Draw d(3);
  const Matrix rows = matrix(Kind::normal_bf16, 6, 20, d);
  Panel p = panel(Matrix(9, std::vector<double>(50, INFINITY)));
  const int64_t order[] = {4, 0, 4};
  p.assign(20, order, decoder(rows));
  ASSERT_EQ(p.rows(), 3);
  EXPECT_FALSE(p.has_specials());
  EXPECT_TRUE(std::ranges::equal(p.finite_row(0), rows[4]));
  EXPECT_TRUE(std::ranges::equal(p.finite_row(1), rows[0]));
  EXPECT_TRUE(std::ranges::equal(p.finite_row(2), rows[4]));
}

TEST(Panel, RefusesWhatCouldOverflowOrUnderflow) {
  for (double good : {0x1p-250, 0x1.fffffffffffffp249, 0.0, -0.0}) EXPECT_NO_THROW(panel({{good, 0}}));
  for (double bad : {0x1p-251, 0x1.8p-250, 0x1p250, 5e-324, 1e308}) EXPECT_THROW(panel({{1, bad}}), std::domain_error) << bad;
}

}  // namespace
}  // namespace assay::product
