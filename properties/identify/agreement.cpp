#include "properties/identify/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::properties {
namespace {

enum class Stands : uint8_t { same, wider, contradicted };

Stands at_least(bool covers, bool same) { return !covers ? Stands::contradicted : same ? Stands::same : Stands::wider; }

/// The order of a sum is in everybody's own words; its depth is what bounds it.
Stands stands(const Sum& declared, const Sum& found) {
  return at_least(declared.accumulator == found.accumulator && declared.depth >= found.depth, declared.depth == found.depth);
}
Stands stands(const Ops& declared, const Ops& found) {
  return at_least(declared.format == found.format && declared.count >= found.count, declared.count == found.count);
}
Stands stands(const Fn& declared, const Fn& found) {
  const bool covers = declared.relative >= found.relative && declared.relative_per_argument >= found.relative_per_argument &&
                      declared.absolute_per_argument >= found.absolute_per_argument;
  return at_least(covers, declared == found);
}
Stands stands(const Round& declared, const Round& found) { return declared == found ? Stands::same : Stands::contradicted; }
/// Without a declared order its bound is that of any; with one it is replayed elsewhere.
Stands stands(const Dot& declared, const Dot&) { return declared.chains.empty() && !declared.chains_of ? Stands::wider : Stands::same; }
/// One correctly rounded operation is one rounding; so is a value materialised where a count of roundings is declared.
Stands stands(const Ops& declared, const Round& found) { return at_least(declared.format == found.to && declared.count >= 1, false); }
Stands stands(const auto&, const auto&) { return Stands::contradicted; }

std::string text_of(const std::string& slot, const Stage& stage) { return Arithmetic().with(slot, stage).text(); }

}  // namespace

Comparison compared(const Arithmetic& declared, const Candidate& found) {
  Comparison c;
  if (!found.beyond.empty()) c.contradicted.push_back(fmt::format("it does what no slot says: {}", found.beyond));
  for (const auto& [slot, stage] : found.arithmetic.all()) {
    const auto has = std::ranges::find(declared.all(), slot, [](const auto& s) { return s.first; });
    if (has == declared.all().end()) {
      c.contradicted.push_back(fmt::format("'{}' is missing", text_of(slot, stage)));
      continue;
    }
    const Stands how = std::visit([](const auto& d, const auto& f) { return stands(d, f); }, has->second, stage);
    c.wider |= how == Stands::wider;
    if (how == Stands::contradicted)
      c.contradicted.push_back(fmt::format("'{}' is declared, the bits say '{}'", text_of(slot, has->second), text_of(slot, stage)));
  }
  for (const auto& [slot, stage] : declared.all())
    if (!found.arithmetic.declares(slot)) {
      if (std::holds_alternative<Round>(stage))
        c.contradicted.push_back(fmt::format("'{}' is not what the bits say", text_of(slot, stage)));
      else
        c.wider = true;
    }
  if (found.tells_contraction && declared.contraction != found.arithmetic.contraction) {
    if (declared.contraction == Contraction::either)
      c.wider = true;
    else
      c.contradicted.push_back(found.arithmetic.contraction == Contraction::always ? "multiply-adds are fused"
                                                                                   : "multiply-adds are not fused");
  }
  return c;
}

}  // namespace assay::properties
