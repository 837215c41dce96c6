// Under the checker nothing is found: no access outside a tensor or shared memory, no read of what nobody wrote, no write to an input, no
// race, no misaligned access, no copy used before its wait. A GPU and canaries see few of these.
#include <fmt/format.h>

#include "fixtures/law.hpp"

namespace assay {
namespace {

Verdict check(Bench& bench, const Subject& subject, const Case& c) {
  const Run& run = bench.run(subject, c);
  if (run.findings.size() > 1) return failed(fmt::format("{}; and {} more", run.findings[0], run.findings.size() - 1));
  if (!run.findings.empty()) return failed(run.findings[0]);
  if (!run.error.empty()) return failed(run.error);
  Verdict verdict;
  for (const Tensor& t : run.outputs) verdict.tally.judged += uint64_t(t.spec.elements());
  return verdict;
}

const Registered<Law> registered{{
    .name = "clean",
    .claim = "the checker finds nothing: no access out of bounds, unwritten, racing or misaligned",
    .applies = [](const Subject&, const Case&) { return true; },
    .check = check,
    .only = Backend::checked,
    .any_contents = true,
}};

}  // namespace
}  // namespace assay
