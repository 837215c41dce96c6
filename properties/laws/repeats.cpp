// A second run gives the same bits. It finds other poison in its outputs and workspace, so a kernel that reads what it never wrote is seen
// here too; and on the emulator its lanes, warps and blocks run in a random order (the first run's in their own, unless another was asked
// for), so one that adds in the order of arrival is.
#include "properties/laws/sequence.hpp"

namespace assay {
namespace {

Verdict check(Bench& bench, const Subject& subject, const Case& c) {
  const Run &first = bench.run(subject, c, 0), &second = bench.run(subject, c, 1);
  for (const Run* run : {&first, &second})
    if (!run->error.empty()) return failed(run->error);
  Verdict verdict;
  for (size_t i = 0; i < first.outputs.size(); i++) {
    if (auto where = sequence::difference(first.outputs[i], second.outputs[i], first.computed, "in the first run", "in the second"))
      return failed(*where);
    verdict.tally.judged += uint64_t(first.outputs[i].spec.elements());
  }
  return verdict;
}

const Registered<Law> registered{{
    .name = "repeats",
    .claim = "the same case run twice gives the same bits",
    .applies = [](const Subject& subject, const Case&) { return subject.repeatable; },
    .check = check,
    .any_contents = true,
}};

}  // namespace
}  // namespace assay
