// Sums that truncate drift toward zero, by an amount that the declared order of a dot product predicts (oracles/arithmetic/dot_bound.hpp;
// fixtures/bounds_test.cpp holds it against the model of the tensor cores). The mean error of many elements must have half of it at least
// and twice of it at most: an accumulator that is promoted too rarely drifts by a multiple, one that rounds to nearest not at all, even
// where every element stays inside its bound.
//
// Half and twice: what a step loses is proportional to the last place of the accumulator. The prediction takes that of the largest one that
// the bound allows, the kernel that of a sum which has drifted toward zero. While the two lie in one binade or in neighbouring ones, what
// each step loses is right within a factor of two.
//
// What is left of a correct rounding of the results is noise, a twelfth of a squared ulp for each. Where seven of its standard deviations
// (one chance in 4e11) are not below a quarter of the drift, the elements are too few to say anything: no drift at all, with the noise once
// in what is seen and once in what is allowed for it, must lie below half of it. At the sizes of today's suites only FP8 sums on wgmma,
// which keep 13 bits, drift so far; all others are skipped.
#include <cmath>

#include "properties/laws/product.hpp"

namespace assay {
namespace {

constexpr double kDeviations = 7;

Verdict check(Bench& bench, const Subject& subject, const Case& c) {
  const Verdict& judged = bench.judged(subject, c);
  if (judged.outcome == Outcome::fail) return skipped("an element is beyond its bound, which is for conforms to say");
  const Drift& d = judged.drift;
  const double noise = kDeviations * std::sqrt(d.uncertainty);
  if (!(d.expected > 4 * noise)) return skipped("the drift to be expected is too small beside the rounding of the results");
  if (d.seen + noise < d.expected / 2 || d.seen - noise > 2 * d.expected)
    return failed(fmt::format("the mean error of {:.0f} elements is {:.3g} ulp toward zero, where {:.3g} are to be expected of: {}",
                              d.elements, d.seen / d.elements, d.expected / d.elements, subject.arithmetic(c.parameters).text()));
  return judged;
}

const Registered<Law> registered{{
    .name = "drifts",
    .claim = "the mean error is the drift that the declared order of truncating sums predicts",
    .applies = [](const Subject&, const Case& c) { return c.definition().product && c.fill == Fill::one_sided; },
    .check = check,
}};

}  // namespace
}  // namespace assay
