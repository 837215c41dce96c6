#include "golden/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "golden/hash.hpp"
#include "golden/reference.hpp"
#include "golden/tile.hpp"

namespace assay::golden {
namespace {

std::optional<std::string> fault(const Run& run) {
  if (!run.error.empty()) return run.error;
  return run.damage;
}

std::optional<std::string> difference(const Record& first, const Tensors& second) {
  for (const TensorRecord& r : first.tensors)
    if (const Comparison c = compare(r, tensor(second, r.name), {}); c.differing) return "a second run gives other bits: " + c.difference;
  return {};
}

std::string text(const Verdict& v) {
  return v.outcome == Outcome::pass ? std::string(name(v.outcome)) : fmt::format("{}: {}", name(v.outcome), v.reason);
}

/// What the judge says of the first run, and where it stands to the exact values.
void add_verdict(Record& record, Bench& bench, const Subject& subject, const Case& c) {
  record.verdict = text(bench.judged(subject, c));
  const std::map<std::string, Reference> all = references(bench, subject, c, bench.operands(c), bench.run(subject, c, 0));
  for (TensorRecord& t : record.tensors)
    if (const auto found = all.find(t.name); found != all.end()) t.reference = found->second;
}

}  // namespace

Take take(Bench& bench, const Subject& subject, const Case& c, double multiply_adds) {
  if (!subject.repeatable) return {.verdict = skipped(subject.name + " does not claim to give the same bits twice")};
  if (auto why = bench.refusal(subject, c)) return {.verdict = skipped(*why)};
  const double work = c.definition().work(c.parameters).multiply_adds;
  const bool sampled = work > multiply_adds;
  if (sampled && bench.settings().backend == Backend::emu)
    return {.verdict = skipped("too large for the emulator to run whole: record it on a GPU")};

  Record record{.line = to_line(c), .arithmetic = subject.arithmetic(c.parameters).text(), .operands = hash_of_operands(bench.operands(c))};
  const Run& first = bench.run(subject, c, 0);
  if (auto why = fault(first)) return {.verdict = failed(*why)};
  for (const Tensor& t : first.outputs) record.tensors.push_back(recorded(t, tile_shape(t.spec, subject, c.parameters, sampled)));
  std::sort(record.tensors.begin(), record.tensors.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });  // as they are read

  const Run& second = bench.run(subject, c, 1);
  if (auto why = fault(second)) return {.verdict = failed(*why)};
  if (auto why = difference(record, second.outputs)) return {.verdict = failed(*why)};
  add_verdict(record, bench, subject, c);
  const Verdict verdict = record.conforms() ? Verdict{} : failed(record.verdict);
  return {.record = std::move(record), .verdict = verdict};
}

}  // namespace assay::golden
