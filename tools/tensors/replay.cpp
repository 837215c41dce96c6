#include "tools/tensors/replay.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "fixtures/case/shown.hpp"
#include "tools/tensors/safetensors.hpp"

namespace assay::tools {
namespace {

// Multiply-adds on the emulator, as of suite ci; larger products are sampled by blocks.
constexpr double kBudget = 6e9;

std::map<std::string, std::string> names_of(const std::vector<std::string>& words) {
  std::map<std::string, std::string> names;
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    if (equals == word.npos || equals == 0 || equals + 1 == word.size())
      throw BadInput(fmt::format("--map '{}': want operand=tensor", shown(word)));
    if (!names.emplace(word.substr(0, equals), word.substr(equals + 1)).second)
      throw BadInput(fmt::format("--map '{}': its operand is mapped twice", shown(word)));
  }
  return names;
}

/// The one contract that the line or the subjects say.
const Contract& contract_of(const properties::Plan& plan, const Replay& r) {
  if (const Contract* named = find<Contract>(r.line.substr(0, r.line.find_first_of(" \t")))) return *named;
  std::vector<std::string> names;
  for (const Subject* s : plan.subjects)
    if (std::ranges::find(names, s->contract) == names.end()) names.push_back(s->contract);
  if (names.size() != 1)
    throw BadInput(
        fmt::format("--tensors holds the operands of one contract, and {} are selected: name one, or one of its subjects", names.size()));
  return *find<Contract>(names.front());
}

std::string about(const Replay& r, const GivenCase& c) {
  constexpr size_t kShown = 8;
  std::string text = fmt::format("tensors of {}: {}", r.file, to_line(c.problem));
  if (!c.drawn.empty()) text += fmt::format("\n  drawn: {}", fmt::join(c.drawn, ", "));
  if (c.unused.empty()) return text;
  std::vector<std::string> first;
  for (size_t i = 0; i < std::min(kShown, c.unused.size()); i++) first.push_back(shown(c.unused[i]));
  text += fmt::format("\n  not used: {}", fmt::join(first, ", "));
  return c.unused.size() > kShown ? text + fmt::format(" and {} more", c.unused.size() - kShown) : text;
}

}  // namespace

GivenCase from_tensors(const Contract& contract, const Replay& r, const std::vector<GivenTensor>& tensors) {
  return given_case(contract, parse_part(contract, r.line), tensors, names_of(r.names), "tensors " + r.file);
}

GivenCase from_safetensors(const Contract& contract, const Replay& r) { return from_tensors(contract, r, read_safetensors(r.file)); }

std::string replay_into(properties::Plan& plan, const Replay& r, ReadCase read) {
  const Contract& contract = contract_of(plan, r);
  std::erase_if(plan.subjects, [&](const Subject* s) { return s->contract != contract.name; });
  std::erase_if(plan.laws, [](const Law* law) { return !law->any_contents; });
  if (plan.subjects.empty()) throw BadInput(fmt::format("--shapes is of {}, and the filter selects none of its subjects", contract.name));
  if (plan.laws.empty())
    throw BadInput("--tensors: the filter selects none of the laws that hold on any contents, such as conforms, guarded and repeats");
  GivenCase given = read(contract, r);
  std::string text = about(r, given);
  plan.suite = {.name = "of tensors", .budget = kBudget, .cases = {std::move(given.problem)}};
  plan.operands = std::move(given.operands), plan.drawn_cases = 0;
  return text;
}

}  // namespace assay::tools
