#include "oracles/declaration.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "oracles/arithmetic/parse.hpp"

namespace assay {
namespace {

std::vector<Slot> slots_of(const Contract& contract, const Parameters& p) {
  return contract.slots ? contract.slots(p) : std::vector<Slot>();
}

/// The terms of the contract's sums: of its longest reduction.
int64_t terms_of(const Contract& contract, const Parameters& p) {
  int64_t terms = 1;
  for (const TensorSpec& t : contract.tensors(p)) terms = std::max(terms, t.reduction);
  return terms;
}

const Slot* slot_named(const std::vector<Slot>& slots, std::string_view name) {
  const auto found = std::ranges::find(slots, name, &Slot::name);
  return found == slots.end() ? nullptr : &*found;
}

/// Every slot that some parameters have.
std::vector<Slot> all_slots(const Contract& contract) {
  std::vector<Slot> all;
  for (const Parameters& p : variants_of(contract))
    for (const Slot& s : slots_of(contract, p))
      if (!slot_named(all, s.name)) all.push_back(s);
  return all;
}

std::vector<Value> values_of(const Parameter& p) {
  if (!p.words.empty()) return {p.words.begin(), p.words.end()};
  if (std::holds_alternative<int64_t>(p.standard) && p.low == 0 && p.high == 1) return {int64_t{0}, int64_t{1}};
  return {p.standard};
}

}  // namespace

std::vector<Parameters> variants_of(const Contract& contract) {
  std::vector<Parameters> all{Parameters{}};
  for (const Parameter& p : contract.parameters) {
    std::vector<Parameters> longer;
    for (const Parameters& start : all)
      for (const Value& value : values_of(p)) {
        std::vector<Setting> settings = start.all();
        settings.push_back({p.name, value});
        longer.emplace_back(std::move(settings));
      }
    all = std::move(longer);
  }
  return all;
}

std::string slots_text(const Contract& contract) {
  std::string text;
  for (const Slot& s : all_slots(contract))
    text += fmt::format("{}{}: {}{}", text.empty() ? "" : "; ", s.name, s.kinds(), s.needed ? "" : " or nothing");
  return text.empty() ? "none: nothing may be rounded but the result" : text;
}

Arithmetic undeclared_arithmetic(const Contract& contract, const Parameters& p) {
  Arithmetic arithmetic;
  for (const Slot& s : slots_of(contract, p)) arithmetic.with(s.name, s.assumed);
  if (!arithmetic.all().empty()) arithmetic.contraction = Contraction::either, arithmetic.flush_subnormals = true;
  return arithmetic;
}

Arithmetic declared_arithmetic(const Contract& contract, const Parameters& p, std::string_view text) {
  const Arithmetic parsed = parse_arithmetic(text, terms_of(contract, p));
  const std::vector<Slot> here = slots_of(contract, p);
  Arithmetic arithmetic;
  arithmetic.contraction = parsed.contraction, arithmetic.flush_subnormals = parsed.flush_subnormals;
  for (const auto& [name, stage] : parsed.all()) {
    const std::vector<Slot> others = slot_named(here, name) ? std::vector<Slot>() : all_slots(contract);
    const Slot* slot = others.empty() ? slot_named(here, name) : slot_named(others, name);
    if (!slot) throw BadInput(fmt::format("arithmetic: {} has no stage '{}': it has {}", contract.name, name, slots_text(contract)));
    if (!slot->takes(stage))
      throw BadInput(fmt::format("arithmetic: stage '{}' of {} is {}: want {}", name, contract.name, kind_of(stage), slot->kinds()));
    if (others.empty()) arithmetic.with(name, stage);
  }
  for (const Slot& s : here)
    if (s.needed && !arithmetic.declares(s.name)) arithmetic.with(s.name, s.assumed);
  return arithmetic;
}

}  // namespace assay
