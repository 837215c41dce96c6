#include "oracles/arithmetic/bound.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace assay {
namespace {

Bound bound(double accumulate, double operation) {
  Bound b;
  b[Term::accumulate] = accumulate, b[Term::operation] = operation;
  return b;
}

TEST(Bound, TotalIsTheSumOfItsTerms) {
  EXPECT_EQ(bound(3, 4).total(), 7);
  EXPECT_EQ(Bound().total(), 0);
}

TEST(Bound, AddsTermByTerm) {
  Bound b = bound(3, 4);
  b += bound(10, 100);
  EXPECT_EQ(b[Term::accumulate], 13);
  EXPECT_EQ(b[Term::operation], 104);
  EXPECT_EQ(b.total(), 117);
}

TEST(Bound, ScalesEveryTerm) {
  const Bound b = bound(3, 4) * 0.5;
  EXPECT_EQ(b[Term::accumulate], 1.5);
  EXPECT_EQ(b[Term::operation], 2);
}

TEST(Bound, ZeroTermsStayZeroUnderAnInfiniteFactor) {
  const Bound b = bound(0, 4) * INFINITY;
  EXPECT_EQ(b[Term::accumulate], 0);
  EXPECT_EQ(b.total(), INFINITY);
}

TEST(Bound, TheLargestTermDominates) {
  EXPECT_EQ(bound(3, 4).dominant(), Term::operation);
  EXPECT_EQ(bound(5, 4).dominant(), Term::accumulate);
}

TEST(Bound, TextNamesTheTermsThatCountAndTheirSum) {
  EXPECT_EQ(to_text(bound(3e-7, 1e-8)), "accumulate 3e-07 + operation 1e-08 = 3.1e-07");
  EXPECT_EQ(to_text(bound(0, 0.25)), "operation 0.25 = 0.25");
  EXPECT_EQ(to_text(Bound()), "0");
}

TEST(Bound, EveryTermHasItsOwnNameAndDerivation) {
  std::set<std::string_view> names, derivations;
  for (int i = 0; i < kTerms; i++) names.insert(name(Term(i))), derivations.insert(derivation(Term(i)));
  EXPECT_EQ(names.size(), size_t(kTerms));
  EXPECT_EQ(derivations.size(), size_t(kTerms));
  EXPECT_FALSE(names.contains("?"));
  EXPECT_FALSE(derivations.contains("?"));
}

}  // namespace
}  // namespace assay
