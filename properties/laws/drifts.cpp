// Sums that truncate drift toward zero, by an amount that the declared order of a dot product predicts within a per cent or so while sums
// stay near their exact values (fixtures/bounds_test.cpp). The mean error of many elements must have half of it at least and twice of it at
// most: an accumulator that is promoted too rarely drifts by a multiple, one that rounds to nearest not at all, even where every element
// stays inside its bound.
//
// What is left of a correct rounding of the results is noise, a twelfth of a squared ulp for each. Where seven of its standard deviations
// (one chance in 4e11) are not below a quarter of the drift, the elements are too few to say anything.
#include <cmath>

#include "properties/laws/product.hpp"

namespace assay {
namespace {

constexpr double kDeviations = 7;

Verdict check(Bench& bench, const Subject& subject, const Case& c) {
  Verdict verdict = bench.judged(subject, c);
  if (verdict.outcome != Outcome::pass) return verdict;
  const Drift& d = verdict.drift;
  const double noise = kDeviations * std::sqrt(d.uncertainty);
  if (!(d.expected > 4 * noise)) return skipped("the drift to be expected is too small beside the rounding of the results");
  if (d.seen + noise < d.expected / 2 || d.seen - noise > 2 * d.expected)
    return failed(fmt::format("the mean error of {:.0f} elements is {:.3g} ulp toward zero, where {:.3g} are to be expected of: {}",
                              d.elements, d.seen / d.elements, d.expected / d.elements, subject.arithmetic(c.parameters).text()));
  return verdict;
}

const Registered<Law> registered{{
    .name = "drifts",
    .claim = "the mean error is the drift that the declared order of truncating sums predicts",
    .applies = [](const Subject&, const Case& c) { return c.definition().product && c.fill == Fill::one_sided; },
    .check = check,
}};

}  // namespace
}  // namespace assay
