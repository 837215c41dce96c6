// How laws of matrix products compare two runs: what they count, and what they say where there is nothing to count.
#include "properties/laws/product.hpp"

#include <gtest/gtest.h>

namespace assay::product {
namespace {

/// A run whose output y[2][3] holds 10 * row + column.
Run counted() {
  Tensor y = make_tensor(rows_of({.name = "y", .role = Role::output, .format = Format::fp32}, 2, 3));
  for (int64_t row = 0; row < 2; row++)
    for (int64_t column = 0; column < 3; column++) y.set_code(row, column, encode(Format::fp32, double(10 * row + column)));
  Run run;
  run.outputs.push_back(y);
  return run;
}

std::optional<double> right(int64_t row, int64_t column) { return double(10 * row + column); }
std::optional<double> nothing(int64_t, int64_t) { return {}; }
std::string complaint(int64_t, int64_t, double found, double wanted) { return fmt::format("is {}, not {}", found, wanted); }

TEST(Compared, CountsTheElementsThatTheLawSpeaksOf) {
  const Wanted first_column = [](int64_t row, int64_t column) { return column ? std::nullopt : right(row, column); };
  EXPECT_EQ(compared(counted(), "y", right, complaint).tally.judged, 6u);
  EXPECT_EQ(compared(counted(), "y", first_column, complaint).tally.judged, 2u);
}

TEST(Compared, CountsTheElementsThatTheRunComputed) {
  auto run = counted();
  run.computed = [](std::string_view, int64_t row, int64_t) { return row == 1; };
  const Verdict verdict = compared(run, "y", right, complaint);
  EXPECT_EQ(verdict.outcome, Outcome::pass);
  EXPECT_EQ(verdict.tally.judged, 3u);
}

TEST(Compared, SkipsWhereThereIsNothingToCompare) {
  auto run = counted();
  EXPECT_EQ(compared(run, "y", nothing, complaint).outcome, Outcome::skip);
  run.computed = [](std::string_view, int64_t, int64_t) { return false; };
  EXPECT_EQ(compared(run, "y", right, complaint).outcome, Outcome::skip);
}

TEST(Compared, NamesTheFirstElementThatIsWrong) {
  const Wanted wrong = [](int64_t row, int64_t column) { return row == 1 && column > 0 ? std::optional(-1.0) : right(row, column); };
  const Verdict verdict = compared(counted(), "y", wrong, complaint);
  EXPECT_EQ(verdict.outcome, Outcome::fail);
  EXPECT_EQ(verdict.reason, "y[1, 1] is 11, not -1");
}

TEST(Compared, TakesZerosOfEitherSignAndAnyNanAsEqual) {
  EXPECT_TRUE(equal(0.0, -0.0));
  EXPECT_TRUE(equal(NAN, -NAN));
  EXPECT_FALSE(equal(NAN, 0.0));
  EXPECT_FALSE(equal(1.0, -1.0));
}

}  // namespace
}  // namespace assay::product
