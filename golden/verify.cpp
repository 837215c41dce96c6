#include "golden/verify.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/explain.hpp"
#include "golden/hash.hpp"

namespace assay::golden {
namespace {

constexpr const char* kUncontracted = "-fmad=false";  // as device_toolkit() prints it

bool may_contract(const Origin& o) { return o.backend == name(Backend::cuda) && o.toolkit.find(kUncontracted) == o.toolkit.npos; }

std::string redeclared(const Record& record, const Arithmetic& now) {
  return now.text() == record.arithmetic ? ""
                                         : fmt::format("; declared now: {}; declared when recorded: {}", now.text(), record.arithmetic);
}

/// Why this run's bits need not be those of the record, or nothing.
std::optional<std::string> may_differ(const Subject& subject, const Run& run, const Origin& recorded, const Origin& here) {
  if (auto why = no_claim(recorded, here)) return why;
  if (!subject.repeatable) return subject.name + " does not claim to give the same bits twice";
  if (!subject.declared) return subject.name + " declares no arithmetic";
  if (!run.library_functions.empty())
    return fmt::format("the kernel calls {}: the toolkit's library functions, whose bits are not modelled",
                       fmt::join(run.library_functions, ", "));
  return {};
}

/// Of bits that differ for a reason.
Verified by_bounds(const Explanation& e, const std::string& why) {
  Verified v{.verdict = *e.found, .within_bounds = e.found->outcome == Outcome::pass, .details = details(e)};
  if (v.within_bounds)
    v.verdict = skipped(fmt::format("bits differ as declared, within bounds: {}", why));
  else
    v.verdict.reason = fmt::format("bits differ, as they may ({}), and {}", why, summary(e));
  return v;
}

}  // namespace

std::optional<std::string> no_claim(const Origin& recorded, const Origin& here) {
  if (recorded.compute_capability != here.compute_capability)
    return fmt::format("recorded on sm_{}, this is sm_{}", recorded.compute_capability, here.compute_capability);
  if (recorded.multiprocessors != here.multiprocessors)
    return fmt::format("recorded on {} multiprocessors, this has {}", recorded.multiprocessors, here.multiprocessors);
  if (recorded.runtime / 1000 != here.runtime / 1000)
    return fmt::format("recorded with CUDA {}, this is CUDA {}", recorded.runtime / 1000, here.runtime / 1000);
  if (may_contract(recorded)) return fmt::format("recorded from kernels built without {} ({})", kUncontracted, recorded.toolkit);
  if (may_contract(here)) return fmt::format("these kernels are built without {} ({})", kUncontracted, here.toolkit);
  return {};
}

Verified verify(Bench& bench, const Subject& subject, const Record& record, const Origin& origin) {
  const Case c = parse_case(record.line);
  if (auto why = bench.refusal(subject, c)) return {.verdict = skipped(*why)};
  const Tensors& before = bench.operands(c);
  if (hash_of_operands(before) != record.operands)
    return {.verdict = failed("the operands are not those that were recorded: fill or contract have changed, record anew")};
  const Run& run = bench.run(subject, c);
  if (!run.error.empty()) return {.verdict = failed(run.error)};
  const Explanation e = explain(bench, subject, c, before, run, record);
  const auto why = may_differ(subject, run, origin, origin_of(bench.device().describe(), bench.settings().backend, ""));
  Verified v;
  if (e.found && why)
    v = by_bounds(e, *why);
  else if (e.differs())
    v = {.verdict = failed(summary(e) + redeclared(record, subject.arithmetic(c.parameters))), .details = details(e)};
  else if (!e.uncompared.empty())
    v.verdict = untrusted(fmt::format("none of the blocks that ran computes a whole tile of {}", e.uncompared));
  v.verdict.tally = {.judged = e.elements};
  return v;
}

}  // namespace assay::golden
