#include "properties/crew/verdicts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fixtures/law.hpp"
#include "oracles/parameters.hpp"

namespace assay::properties {
namespace {

/// A verdict with a number of its own in every place.
Verdict full() {
  Verdict v = failed("out[0, 1] is 3\tand \x01");
  double next = 0.1;
  auto number = [&] { return next *= 1.7; };
  v.tally = {.judged = UINT64_MAX, .single_legal = 2, .off_nearest = 3, .outside = 4, .decided_wide = 5, .nearest = 6};
  for (uint64_t i = 0; i < kStandIns; i++) v.tally.stand_ins[i] = {10 + i, 20 + i};
  v.shares = {.none = 7, .tenths = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, .beyond = 8};
  v.drift = {number(), -number(), number(), std::nextafter(1.0, 2.0)};
  v.residuals = {
      number(), number(), number(), number(), number(), number(), INFINITY, -number(), std::numeric_limits<double>::denorm_min()};
  v.roundings.codes = {number(), number(), number()}, v.roundings.decided = {number(), number(), number()};
  for (HalfWay& h : v.roundings.half_way) h = {{number(), number(), number()}, {number(), number(), number()}};
  v.roundings.odd = {number(), number(), number()}, v.roundings.squares = {number(), number(), number()};
  v.roundings.off_toward_zero = number(), v.roundings.squares_most = number(), v.roundings.squares_widest = number();
  v.roundings.square = number(), v.roundings.predicted = number(), v.roundings.steps = number();
  v.worst_share = number(), v.worst_term = Term(kTerms - 1), v.worst_place = {"out", 3, -4};
  v.tried = {"a=1", "b=2"}, v.shown = {"a=1"};
  return v;
}

TEST(Verdicts, ComeBackFromTheirTextToTheLastBit) {
  const std::string text = to_text({"conforms", full()});
  const LawVerdict back = law_verdict_of(text);
  EXPECT_EQ(to_text(back), text);
  EXPECT_EQ(back.law, "conforms");
  EXPECT_EQ(back.verdict.reason, "out[0, 1] is 3\\x09and \\x01");
  EXPECT_EQ(back.verdict.tally.judged, UINT64_MAX);
  EXPECT_EQ(back.verdict.drift.uncertainty, std::nextafter(1.0, 2.0));
  EXPECT_EQ(back.verdict.residuals.one_sided, std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(back.verdict.residuals.widest, INFINITY);
  EXPECT_EQ(back.verdict.roundings.steps, full().roundings.steps);
  EXPECT_EQ(back.verdict.roundings.half_way[1].toward.expected, full().roundings.half_way[1].toward.expected);
  EXPECT_EQ(back.verdict.worst_place.column, -4);
  EXPECT_EQ(back.verdict.tried, full().tried);
  EXPECT_EQ(back.verdict.shown, full().shown);
  EXPECT_TRUE(back.verdict.shares == full().shares);
  EXPECT_EQ(text.find('\t'), text.npos);
}

TEST(Verdicts, OfNothingAreShort) {
  EXPECT_EQ(to_text({"repeats", Verdict{}}), "v repeats 0 -inf 0 : ");
  EXPECT_EQ(law_verdict_of("v repeats 0 -inf 0 : ").verdict.worst_share, -INFINITY);
}

TEST(Verdicts, ThatAreDamagedAreBadInput) {
  const std::string text = to_text({"conforms", full()});
  const size_t reason = text.find(" : ");
  for (size_t length = 0; length <= reason; length++) EXPECT_THROW(law_verdict_of(text.substr(0, length)), BadInput) << length;
  for (const char* bad : {"", "v", "w conforms 0 0 0 : ", "v conforms 9 0 0 : ", "v conforms -1 0 0 : ", "v conforms 0 0 99 : ",
                          "v conforms 0 0 0 z : ", "v conforms 0 0 0 t 1 2 : "})
    EXPECT_THROW(law_verdict_of(bad), BadInput) << bad;
}

}  // namespace
}  // namespace assay::properties
