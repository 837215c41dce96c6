// How the error of a matrix product grows with k, beside what its declared arithmetic lets expect.
#pragma once
#include <optional>

#include "fixtures/bench/bench.hpp"

namespace assay::properties {

/// One k. All errors are root mean squares over the elements, as shares of the root mean square of the exact results.
struct Rung {
  int64_t k = 0;
  std::string line;              // of the case
  double elements = 0, off = 0;  // looked at; of those, not the rounded exact value
  double error = 0;              // y - x
  double expected = 0;           // the same: the known (RN(x) - x)^2, and drift^2 + spread^2 (oracles/contract.hpp); NaN: nothing is known
  double before = 0;  // of the error before the last rounding: (y - x)^2 - (RN(x) - x)^2 on the average, which is that error's square
  double before_expected = 0;  // (oracles/DERIVATIONS.md, 3); drift^2 + spread^2; NaN
  double bound = 0;            // E
  bool conforms = true;
};

/// Exponent p of c k^p, least squares over the logarithms; nothing where fewer than three rungs are above 0.
struct Slope {
  double exponent = 0, deviation = 0;  // standard deviation of the fit's exponent
};

struct Ladder {
  std::string absent;  // why there is none
  std::vector<Rung> rungs;
  std::optional<Slope> error, expected, before, before_expected, bound;
};

/// Results that are off below which nothing is said of the error before the last rounding: their count scatters by a third.
inline constexpr double kTellingOff = 10;

/// N(0,1) data, the parameters of `like` but for k, m and n. `work`: multiply-adds of a case at most.
Ladder ladder(Bench&, const Subject&, const Case& like, double work);

std::optional<Slope> slope_of(const std::vector<std::pair<double, double>>& points);

}  // namespace assay::properties
