// A problem without elements is no error: with no rows, no columns, no heads (each extent that the contract lets be 0, and all of them) the
// launch succeeds, touches nothing, and what is left of the outputs (keys where there are no queries, heads that nothing rotates) is right.
//
// Suites hold a few such cases for each contract; this empties every case, so that 0 meets splits, biases, orders and tiles of all kinds: a
// grid of no blocks, a division by the number of columns, a workspace that nobody clears.
#include "properties/laws/reruns.hpp"

namespace assay {
namespace {

/// A length that may be 0 (switches and paddings are 0 as a rule), which leaves a tensor without elements.
bool is_extent(const Case& c, const Parameter& p) {
  const auto* standard = std::get_if<int64_t>(&p.standard);
  if (!standard || *standard == 0 || p.low > 0 || c.parameters.whole(p.name) == 0) return false;
  Case empty = c;
  empty.parameters.set(p.name, int64_t{0});
  if (refusal(empty)) return false;
  const auto here = c.definition().tensors(c.parameters), there = empty.definition().tensors(empty.parameters);
  return std::ranges::equal(here, there, {}, &TensorSpec::name, &TensorSpec::name) &&
         std::ranges::any_of(there, [](const TensorSpec& t) { return t.elements() == 0; });
}

std::vector<Case> emptied(const Case& c) {
  std::vector<Case> cases;
  Case all = c;
  for (const Parameter& p : c.definition().parameters) {
    if (!is_extent(c, p)) continue;
    cases.push_back(c);
    cases.back().parameters.set(p.name, int64_t{0}), all.parameters.set(p.name, int64_t{0});
  }
  if (cases.size() > 1 && !refusal(all)) cases.push_back(all);
  return cases;
}

/// What a run on an empty problem did wrong, or nothing.
std::optional<std::string> fault(Bench& bench, const Subject& subject, const Case& empty, const Tensors& operands) {
  const Run run = bench.run_on(subject, empty, operands);
  if (!run.error.empty()) return run.error;
  if (run.damage) return run.damage;
  if (std::ranges::all_of(run.outputs, [](const Tensor& t) { return t.spec.elements() == 0; })) return {};
  const Verdict rest = bench.judged_on(subject, empty, operands);
  return rest.outcome == Outcome::fail ? std::optional(rest.reason) : std::nullopt;
}

Verdict check(Bench& bench, const Subject& subject, const Case& c) {
  Verdict verdict;
  for (const Case& empty : emptied(c)) {
    if (bench.refusal(subject, empty)) continue;
    verdict.tally.judged++;
    if (auto why = fault(bench, subject, empty, reruns::operands_of(empty, bench.operands(c))))
      return failed(fmt::format("{}: {}", to_line(empty), *why));
  }
  return verdict.tally.judged ? verdict : skipped("the subject takes no empty problem of this kind");
}

bool is_whole(const Case& c) {
  return std::ranges::all_of(c.definition().tensors(c.parameters),
                             [](const TensorSpec& t) { return t.role == Role::input || t.elements() > 0; });
}

const Registered<Law> registered{{
    .name = "allows_empty",
    .claim = "with an extent of 0 in place of its own, a case succeeds and touches nothing",
    .applies = [](const Subject&, const Case& c) { return is_whole(c) && reruns::is_small(c) && !emptied(c).empty(); },
    .check = check,
}};

}  // namespace
}  // namespace assay
