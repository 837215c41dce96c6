// Every element is RN(x) of some x within the bound of the declared arithmetic around the exact value.
#include "fixtures/law.hpp"

namespace assay {
namespace {

Verdict check(Bench& bench, const Subject& subject, const Case& c) {
  Verdict verdict = bench.judged(subject, c);
  if (verdict.outcome == Outcome::pass && verdict.tally.judged == 0 && verdict.tally.outside > 0)
    return untrusted("every element is outside the contract's domain: only bits and safety were checked");
  return verdict;
}

const Registered<Law> registered{{
    .name = "conforms",
    .claim = "every output is within the derived bound of the exact value",
    .applies = [](const Subject&, const Case&) { return true; },
    .check = check,
    .any_contents = true,
}};

}  // namespace
}  // namespace assay
