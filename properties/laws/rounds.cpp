// A result is rounded once, to nearest, ties to even. Where bounds leave several numbers, one that truncates, rounds half-way values up,
// rounds at random, or rounds once more than declared is inside them everywhere. It shows in counts over many results: which of its legal
// values each is.
//
// Three kinds, of x exact, y found, E the bound, e the error before the last rounding (fixtures/judge/statistics.cpp counts them):
//   rounding mode   y is not RN(x) although x is farther from half-way than e reaches but for a chance of 1/16 at most, each element
//                   counted with its own chance; x as near to half-way as E, or half-way: up, down, or to the odd number go half of
//                   them, and what the mean of e adds
//   codes           y is not RN(x), wherever x lies: E|e| / step of all elements, or E|e| / 2E of those within E of a middle
//   squares         (y - x)^2 - (RN(x) - x)^2, whose mean over x is E[e^2]: the root mean square of e, in ulp of the output
//                   (of y - x itself it is sqrt(1/12 + E[e^2]); RN(x) - x is known and left out, so that it adds no noise)
//
// A model, not a theorem, is the size of e: lost bits of the declared sums lie anywhere in their width, independently, so that their
// variances add up to `spread` around `drift` (oracles/arithmetic/dot_bound.hpp), both right within a factor of two: E[e^2] <= (2 drift)^2
// + (2 spread)^2, and deviations are sub-Gaussian, so that P(|e| >= g) <= 2 exp(-(g - 2 drift)^2 / 8 spread^2). What may err to one side in
// every element counts with its bound. Codes and squares also suppose that x lies anywhere between two numbers, and half-way x that their
// even neighbour lies on either side of them: both hold for data drawn at random without a pattern. The first count needs neither. Chance
// is Hoeffding's (properties/laws/counts.hpp).
//
// It speaks of matrix products alone. A quantiser's elements are not independent: equal inputs of a row have equal errors, and a row of
// BF16 has many, so that Hoeffding's chance is none; kernels that were right bit for bit failed.
//
// There is no lower limit: a kernel that errs less than declared passes. What it sees and how often it is wrong:
// properties/rounds_test.cpp.
#include "properties/laws/counts.hpp"
#include "properties/laws/product.hpp"

namespace assay {
namespace {

std::string text(const counts::Test& t, const Roundings& r) {
  if (t.what.empty())
    return fmt::format("errors before the last rounding are {:.3g} ulp in the root mean square, where twice {:.3g} may be", counts::rms(r),
                       counts::rms_predicted(r));
  return fmt::format("{:.0f} of {:.0f} {}, where {:.3g} are to be expected at most", t.count.seen, t.count.trials, t.what,
                     t.count.expected);
}

Verdict check(Bench& bench, const Subject& subject, const Case& c) {
  const Verdict& judged = bench.judged(subject, c);
  if (judged.outcome == Outcome::fail) return skipped("an element is beyond its bound, which is for conforms to say");
  const Roundings& r = judged.roundings;
  if (!counts::can_fail(r, counts::kAlpha))
    return skipped("too few elements with more than one legal value for their roundings to say anything");
  std::string why;
  for (const counts::Test& t : counts::failing(r, counts::kAlpha)) why += (why.empty() ? "" : "; ") + text(t, r);
  if (why.empty()) return judged;
  return failed(fmt::format("{} ({:.0f} toward zero, {:.0f} away from it): {}", why, r.off_toward_zero, r.codes.seen - r.off_toward_zero,
                            subject.arithmetic(c.parameters).text()));
}

const Registered<Law> registered{{
    .name = "rounds",
    .claim = "results are rounded once, to nearest, from sums that err as the declared ones do",
    .applies = [](const Subject&, const Case& c) { return c.definition().product && product::is_drawn_without_pattern(c.fill); },
    .check = check,
}};

}  // namespace
}  // namespace assay
