// On data whose partial sums are all representable, how k is dealt out to parts and blocks cannot matter: every split gives the same bits.
// A part that is added twice, left out or cut in the wrong place shows here even where no bound would notice.
#include "properties/laws/product.hpp"

namespace assay {
namespace {

/// Parameters that only say how k is dealt out.
constexpr std::string_view kSplits[] = {"split_k", "sms"};

const Parameter* split_of(const Contract& contract) {
  for (const Parameter& p : contract.parameters)
    if (std::ranges::find(kSplits, p.name) != std::end(kSplits)) return &p;
  return nullptr;
}

Verdict check(Bench& bench, const Subject& subject, const Case& c) {
  const Parameter& split = *split_of(c.definition());
  const std::string& name = c.definition().product->y;
  const Run straight = bench.run(subject, c);
  if (!straight.error.empty()) return failed(straight.error);
  const Tensor& y = tensor(straight.outputs, name);
  Verdict all;
  for (int64_t parts : {1, 2, 3, 5, 8}) {
    Case other = c;
    other.parameters.set(split.name, parts);
    if (other == c || parts < split.low || parts > split.high || refusal(other) || bench.refusal(subject, other)) continue;
    const Run run = bench.run_on(subject, other, bench.operands(c));
    if (!run.error.empty()) return failed(fmt::format("{}={}: {}", split.name, parts, run.error));
    const Tensor& found = tensor(run.outputs, name);
    all += product::verdict(y, product::first_wrong(run, y, [&](int64_t row, int64_t column) -> std::optional<std::string> {
      if ((straight.computed && !straight.computed(name, row, column)) || product::equal(found, row, column, y.value(row, column))) return {};
      return fmt::format("is {} with {}={} and {} with {}={}", y.value(row, column), split.name, c.parameters.whole(split.name), found.value(row, column),
                         split.name, parts);
    }));
  }
  return all;
}

const Registered<Law> registered{{
    .name = "ignores_split",
    .claim = "on data with representable partial sums every split of k gives the same bits",
    .applies = [](const Subject&, const Case& c) { return product::applies(c) && c.fill == Fill::exact && split_of(c.definition()); },
    .check = check,
}};

}  // namespace
}  // namespace assay
