// Where a bound spans several numbers of the output's format, an error of a tenth of a per cent is inside it everywhere. It shows in the
// mean: results that are 0.1 % too large lie above the rounded exact values more often than below.
//
//   S = sum over the elements of sign(x) (y - RN(x)),        x exact, y found
//
// y - RN(x) instead of y - x: RN(x) - x is known and no error of the kernel, so it adds no noise, and data on a coarse grid (codes times
// scales) whose positions between two numbers are not spread evenly cannot bring about a mean of their own. S is a sum of values, not of
// ulp, because a wrong scale adds in proportion to x: S / sum |x| estimates it.
//
// Certain is: D = y - RN(x) lies between the ends of the legal values (conforms), and what is no sum (scales, functions, roundings of
// single operations) contributes at most its bound, all to one side. Certain is also how far the sum of independent D may be off its mean
// (properties/laws/bias.hpp). A model, not a theorem, is what the sums do: roundings to nearest have mean zero, and those toward zero the
// drift that the declared order predicts, up to twice of it as in law drifts, or less (more bits than declared are for that law to find);
// x lies anywhere between two numbers of the format, so that rounding the result keeps the mean; elements err independently of each other.
// The latter two hold for data drawn at random without a pattern: the fills named below. Sums that are cut in an order that is not declared
// have no known mean and are left out.
//
// What it sees, and how often it is wrong about right results: properties/unbiased_test.cpp.
#include "properties/laws/bias.hpp"
#include "properties/laws/product.hpp"

namespace assay {
namespace {

Verdict check(Bench& bench, const Subject& subject, const Case& c) {
  const Verdict& judged = bench.judged(subject, c);
  if (judged.outcome == Outcome::fail) return skipped("an element is beyond its bound, which is for conforms to say");
  const Residuals& r = judged.residuals;
  if (!bias::can_be_left(r, bias::kAlpha)) return skipped("too few elements with more than one legal value for their mean to say anything");
  if (!bias::is_biased(r, bias::kAlpha)) return judged;
  const bias::Range range = bias::allowed(r, r.squares, bias::kAlpha);
  return failed(fmt::format("{:.0f} results are {:.3g} % too {} in the mean, where {:.3g} % may be by chance or drift: {}", r.elements,
                            100 * std::fabs(r.seen) / r.size, r.seen > 0 ? "large" : "small",
                            100 * std::fabs(r.seen > 0 ? range.high : range.low) / r.size, subject.arithmetic(c.parameters).text()));
}

const Registered<Law> registered{{
    .name = "unbiased",
    .claim = "errors inside the bounds have no mean but the drift of the declared sums",
    .applies = [](const Subject&, const Case& c) { return c.definition().product && product::is_drawn_without_pattern(c.fill); },
    .check = check,
}};

}  // namespace
}  // namespace assay
