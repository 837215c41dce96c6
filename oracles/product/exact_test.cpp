#include "oracles/product/exact.hpp"

#include <gtest/gtest.h>

#include "oracles/arithmetic/wide_number.hpp"
#include "oracles/product/test_rows.hpp"

namespace assay::product {
namespace {

using namespace test;

Big big(const Wide& x) { return Big(WideNumber::of(x)); }

TEST(Exact, EqualsTheSumInWideFloatingPoint) {
  Draw d(1);
  for (Kind kind : kKinds)
    for (int64_t k : {1, 2, 10, 500, 20000})
      for (bool cancelling : {false, true}) {
        Matrix a = matrix(kind, 1, k, d), b = matrix(kind, 1, k, d);
        if (cancelling) cancel(a, b);
        const Big want = sums(a[0], b[0]).value;
        const Big got = big(exact_dot(a[0], b[0]));
        if (kind != Kind::any_bf16 && kind != Kind::sparse_bf16) EXPECT_EQ(got, want) << "kind " << int(kind) << " k " << k;
        else EXPECT_LE(abs(got - want), abs(want) * Big(0x1p-299));
      }
}

uint64_t rounded(Format format, const Wide& x) { return encode(format, exact_of(x)); }

TEST(Exact, WhatLiesFarBelowATieStillDecidesIt) {
  const double tie = 1 + 0x1p-8;   // half-way between two bf16 values, the even one below
  for (double far : {0x1p-20, 0x1p-200, 0x1p-249})
    for (double sign : {1.0, 0.0, -1.0}) {
      const std::vector<double> a{tie, far}, b{1, sign * far};
      EXPECT_EQ(rounded(Format::bf16, exact_dot(a, b)), sign > 0 ? 0x3F81u : 0x3F80u) << far << " " << sign;
    }
}

TEST(Exact, ASumOfMoreThan300BitsKeepsItsLeadingBitsAndAStickyOne) {
  const std::vector<double> a{0x1p200, 0x1p-200}, b{0x1p200, 0x1p-200};
  EXPECT_EQ(exact_dot(a, b), ldexp(Wide(1), 400) + ldexp(Wide(1), 400 - 299));
  const std::vector<double> c{0x1p200, -0x1p-200};
  EXPECT_EQ(exact_dot(c, a), ldexp(Wide(1), 400) - ldexp(Wide(1), 399 - 299));
}

TEST(Exact, TheEdgeOf128Bits) {
  for (int span = 100; span < 140; span++) {
    const std::vector<double> a{0x1p53 - 1, 1, 0x1p53 - 1}, b{std::ldexp(0x1p53 - 1, span - 106), 1, std::ldexp(0x1p53 - 1, span - 106)};
    EXPECT_EQ(big(exact_dot(a, b)), sums(a, b).value) << span;
    const std::vector<double> negative{-a[0], -a[1], -a[2]};
    EXPECT_EQ(exact_dot(negative, b), -exact_dot(a, b));
  }
}

TEST(Exact, ElementsOfPanelsRangesAndGroups) {
  Draw d(2);
  const Matrix a = matrix(Kind::any_e4m3, 2, 100, d), b = matrix(Kind::any_e4m3, 3, 100, d);
  const Matrix sa = matrix(Kind::one_sided_fp16, 2, 4, d), sb = matrix(Kind::scaled_e4m3, 3, 4, d);
  const Panel left = panel(a), right = panel(b), left_scales = panel(sa), right_scales = panel(sb);
  EXPECT_EQ(big(exact_dot(left, 1, right, 2)), sums(a[1], b[2]).value);
  const Range ranges[] = {{3, 7}, {90, 100}};
  Big some = 0, scaled = 0;
  for (size_t k = 0; k < 100; k++) {
    if ((k >= 3 && k < 7) || k >= 90) some += Big(a[0][k]) * b[1][k];
    scaled += Big(sa[1][k / 32]) * sb[2][k / 32] * a[1][k] * b[2][k];
  }
  EXPECT_EQ(big(exact_dot(left, 0, right, 1, ranges)), some);
  EXPECT_EQ(big(exact_dot(Scaled{left, left_scales}, 1, Scaled{right, right_scales}, 2, 32)), scaled);
}

TEST(Exact, ScaledEntriesThatDoNotFitAreRefused) {
  const Panel third = panel({{1.0 / 3}}), scale = panel({{1.1}});
  EXPECT_THROW(exact_dot(Scaled{third, scale}, 0, Scaled{third, scale}, 0, 1), std::domain_error);
}

}  // namespace
}  // namespace assay::product
