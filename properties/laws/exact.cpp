// On data whose every partial sum is representable nothing may be rounded but the result: each element has one legal value.
//
// The certificate is the bound itself. A sum that fits its accumulator contributes no error (Term::accumulate); what other terms leave must
// be too little to reach a second value. Where that fails the fill has not done its work, and the verdict is Untrusted, not Pass.
#include <fmt/format.h>

#include "fixtures/law.hpp"

namespace assay {
namespace {

Verdict check(Bench& bench, const Subject& subject, const Case& c) {
  const Verdict& verdict = bench.judged(subject, c);
  if (verdict.outcome == Outcome::pass && verdict.tally.single_legal != verdict.tally.judged)
    return untrusted(fmt::format("{} of {} elements have more than one legal value: the fill is not exact for this arithmetic",
                                 verdict.tally.judged - verdict.tally.single_legal, verdict.tally.judged));
  return verdict;
}

const Registered<Law> registered{{
    .name = "exact",
    .claim = "on data with representable partial sums the output is the rounded exact value, bit for bit",
    .applies = [](const Subject&, const Case& c) { return c.fill == Fill::exact && c.definition().exact_fill; },
    .check = check,
    .any_contents = true,
}};

}  // namespace
}  // namespace assay
