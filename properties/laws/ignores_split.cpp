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
  const Run& straight = bench.run(subject, c);
  if (!straight.error.empty()) return failed(straight.error);
  const Tensor& y = tensor(straight.outputs, name);
  Verdict all = skipped("nothing to compare");
  for (int64_t parts : {1, 2, 3, 5, 8}) {
    Case other = c;
    other.parameters.set(split.name, parts);
    if (other == c || parts < split.low || parts > split.high || refusal(other) || bench.refusal(subject, other)) continue;
    const Run run = bench.run_on(subject, other, bench.operands(c));
    if (!run.error.empty()) return failed(fmt::format("{}={}: {}", split.name, parts, run.error));
    all += product::compared(
        run, name,
        [&](int64_t row, int64_t column) -> std::optional<double> {
          if (!product::is_computed(straight, name, row, column)) return {};
          return y.value(row, column);
        },
        [&](int64_t, int64_t, double found, double wanted) {
          return fmt::format("is {} with {}={} and {} with {}={}", wanted, split.name, c.parameters.whole(split.name), found, split.name,
                             parts);
        });
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
