// What chance can do to counts of right results that are this or that.
//
// Theorem (Hoeffding 1963, theorem 1; for X in {0, 1} Chernoff). X_1 .. X_n independent, each in [0, 1], p the mean of their means:
//   P(sum X >= a n) <= exp(-n KL(a, p)) for a > p,        KL(a, p) = a ln(a / p) + (1 - a) ln((1 - a) / (1 - p)),
// and all the more so where p is only known to be no larger. Means may differ from one X to the next. What lies in [0, R] is divided by R.
//
// alpha = 1e-12 for one case under the law, shared by its kTests tests: a thousand cases in a run are wrong about a right kernel once in
// 1e9 runs, if the X have the means that the law supposes.
#pragma once
#include <cmath>
#include <string>
#include <vector>

#include "fixtures/verdict.hpp"

namespace assay::counts {

inline constexpr double kAlpha = 1e-12;

/// A bound on the chance of `seen` or more.
inline double chance_of(double trials, double seen, double expected) {
  if (!(seen > expected)) return 1;
  const double a = std::fmin(seen / trials, 1), p = expected / trials, rest = a < 1 ? (1 - a) * std::log((1 - a) / (1 - p)) : 0;
  return p > 0 ? std::exp(-trials * (a * std::log(a / p) + rest)) : 0;
}

/// One of the law's tests on a case.
struct Test {
  std::string what;  // of results, "{} of {} results ..."
  Count count;
  double most;  // the largest `seen` that legal results may have

  bool can_fail(double alpha) const { return chance_of(count.trials, most, count.expected) < alpha; }
  bool fails(double alpha) const { return chance_of(count.trials, count.seen, count.expected) < alpha; }
};

inline constexpr int kTests = 8;

inline std::vector<Test> tests(const Roundings& r) {
  auto half_way = [](std::string which, const Count& count) { return Test{"values near half-way " + which, count, count.trials}; };
  const auto& [positive, negative] = r.half_way;
  const double widest = std::fmax(r.squares_widest, 1e-300);
  return {{"values far from the middle between two numbers end at the wrong one", r.decided, r.decided.trials},
          {"codes are not the nearest one", r.codes, r.codes.trials},
          {"", {r.squares.trials, r.squares.seen / widest, r.squares.expected / widest}, r.squares_most / widest},
          half_way("and above zero end at the larger number", positive.away),
          half_way("and above zero end at the smaller number", positive.toward),
          half_way("and below zero end at the smaller number", negative.away),
          half_way("and below zero end at the larger number", negative.toward),
          half_way("end at the odd number", r.odd)};
}

/// The law's tests that fail, each with its share of alpha.
inline std::vector<Test> failing(const Roundings& r, double alpha) {
  std::vector<Test> all = tests(r);
  std::erase_if(all, [&](const Test& t) { return !t.fails(alpha / kTests); });
  return all;
}

inline bool can_fail(const Roundings& r, double alpha) {
  for (const Test& t : tests(r))
    if (t.can_fail(alpha / kTests)) return true;
  return false;
}

// In ulp of the results, the root mean square of the error before the last rounding.
inline double rms(const Roundings& r) { return r.steps > 0 ? std::sqrt(r.square / r.steps) : 0; }
inline double rms_predicted(const Roundings& r) { return r.steps > 0 ? std::sqrt(r.predicted / r.steps) : 0; }

}  // namespace assay::counts
