#include "golden/verify.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/hash.hpp"
#include "golden/tile.hpp"

namespace assay::golden {
namespace {

constexpr const char* kUncontracted = "-fmad=false";  // as device_toolkit() prints it

bool may_contract(const Origin& o) { return o.backend == name(Backend::cuda) && o.toolkit.find(kUncontracted) == o.toolkit.npos; }

const Tensor* find(const Tensors& all, const std::string& name) {
  for (const Tensor& t : all)
    if (t.spec.name == name) return &t;
  return nullptr;
}

std::string redeclared(const Record& record, const Arithmetic& now) {
  return now.text() == record.arithmetic ? ""
                                         : fmt::format("; declared now: {}; declared when recorded: {}", now.text(), record.arithmetic);
}

Verdict compare_all(const Record& record, const Run& run) {
  if (record.tensors.size() != run.outputs.size())
    return failed(fmt::format("{} outputs, recorded were {}", run.outputs.size(), record.tensors.size()));
  Verdict verdict;
  std::string uncompared;
  for (const TensorRecord& r : record.tensors) {
    const Tensor* t = find(run.outputs, r.name);
    if (!t) return failed(fmt::format("there is no output '{}' any more", r.name));
    const Comparison c = compare(r, *t, run.computed);
    verdict.tally.judged += c.elements;
    if (c.differing) verdict += failed(c.difference);
    if (c.units == 0 && t->spec.elements() > 0) uncompared = r.name;
  }
  if (verdict.outcome == Outcome::pass && !uncompared.empty())
    return untrusted(fmt::format("none of the blocks that ran computes a whole tile of {}", uncompared));
  return verdict;
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

Verdict verify(Bench& bench, const Subject& subject, const Record& record, const Origin& origin) {
  const Case c = parse_case(record.line);
  if (auto why = bench.refusal(subject, c)) return skipped(*why);
  if (auto why = no_claim(origin, origin_of(bench.device().describe(), bench.settings().backend, ""))) return skipped(*why);
  if (hash_of_operands(bench.operands(c)) != record.operands)
    return failed("the operands are not those that were recorded: fill or contract have changed, record anew");
  const Run& run = bench.run(subject, c);
  if (!run.error.empty()) return failed(run.error);
  if (!run.library_functions.empty())
    return skipped(fmt::format("the kernel calls {}: the toolkit's library functions, whose bits are not modelled", fmt::join(run.library_functions, ", ")));
  Verdict verdict = compare_all(record, run);
  if (verdict.outcome == Outcome::fail) verdict.reason += redeclared(record, subject.arithmetic(c.parameters));
  return verdict;
}

}  // namespace assay::golden
