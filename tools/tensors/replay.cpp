#include "tools/tensors/replay.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "fixtures/case/shown.hpp"
#include "golden/arrays.hpp"
#include "golden/contents.hpp"
#include "properties/fuzz/reduce.hpp"
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

/// Has a case of its own.
GivenCase from_reproducer(const Contract& contract, const Replay& r) {
  if (!r.line.empty() || !r.names.empty())
    throw BadInput(fmt::format("tensors {}: a reproducer says which case it is of: leave --shapes and --map out", r.file));
  golden::Contents c = golden::read_contents(r.file);
  if (c.reproducer.problem.contract != contract.name)
    throw BadInput(fmt::format("tensors {}: holds a case of {}, not {}", r.file, c.reproducer.problem.contract, contract.name));
  return {.problem = std::move(c.reproducer.problem), .operands = std::move(c.operands), .drawn = {}, .unused = {}};
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

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

std::string command(const properties::Cell& cell, const Replay& r, const BenchSettings& settings) {
  std::string text =
      fmt::format("assay check {}.{} --tensors {} --backend {}", cell.law, cell.subject, quoted(r.file), name(settings.backend));
  if (!r.line.empty()) text += " --shapes " + quoted(r.line);
  for (const std::string& word : r.names) text += " --map " + quoted(word);
  if (!cell.smallest.plugin.empty()) text += " --plugin " + quoted(cell.smallest.plugin);
  if (!settings.image.empty()) text += " --image " + quoted(settings.image);
  return settings.schedule ? text + fmt::format(" --schedule {}", settings.schedule) : text;
}

int64_t elements_of_all(const Tensors& operands) {
  int64_t all = 0;
  for (const Tensor& t : operands)
    if (t.spec.role != Role::output) all += t.spec.elements();
  return all;
}

/// The operands of a failure, as simple as they can be where they are few.
golden::Contents contents_of(const properties::Cell& cell, const Tensors& operands, const BenchSettings& settings) {
  golden::Contents c{.reproducer = cell.smallest, .reason = cell.verdict.reason, .operands = operands};
  if (elements_of_all(operands) > properties::kReducible) return c;
  Bench bench(settings);
  bench.put(cell.smallest.problem, operands);
  const auto reduced =
      properties::reduce(bench, *find<Subject>(cell.subject), *find<Law>(cell.law), cell.smallest.problem, properties::kReductions);
  if (reduced) c.operands = reduced->operands, c.reason = reduced->verdict.reason;
  return c;
}

}  // namespace

GivenCase replayed(const Contract& contract, const Replay& r) {
  if (golden::holds_contents(r.file)) return from_reproducer(contract, r);
  const PartOfCase part = parse_part(contract, r.line);
  const auto names = names_of(r.names);
  const std::vector<GivenTensor> tensors = golden::holds_arrays(r.file) ? golden::read_arrays(r.file) : read_safetensors(r.file);
  return given_case(contract, part, tensors, names, "tensors " + r.file);
}

std::string replay_into(properties::Plan& plan, const Replay& r) {
  const Contract& contract = contract_of(plan, r);
  std::erase_if(plan.subjects, [&](const Subject* s) { return s->contract != contract.name; });
  std::erase_if(plan.laws, [](const Law* law) { return !law->any_contents; });
  if (plan.subjects.empty()) throw BadInput(fmt::format("--shapes is of {}, and the filter selects none of its subjects", contract.name));
  if (plan.laws.empty())
    throw BadInput("--tensors: the filter selects none of the laws that hold on any contents, such as conforms, guarded and repeats");
  GivenCase given = replayed(contract, r);
  std::string text = about(r, given);
  plan.suite = {.name = "of tensors", .budget = kBudget, .cases = {std::move(given.problem)}};
  plan.operands = std::move(given.operands), plan.drawn_cases = 0;
  return text;
}

void say_again(std::vector<properties::Cell>& cells, const properties::Plan& plan, const Replay& r, const BenchSettings& settings,
               const std::string& folder) {
  for (properties::Cell& cell : cells) {
    if (cell.verdict.outcome != Outcome::fail || cell.smallest.law.empty()) continue;
    cell.again = command(cell, r, settings);
    if (folder.empty()) continue;
    const std::string path = fmt::format("{}/{}-{}.h5", folder, cell.subject, cell.law);
    golden::write_contents(path, contents_of(cell, plan.operands, settings));
    cell.again = "assay repro " + quoted(path);
    if (!settings.image.empty()) cell.again += " --image " + quoted(settings.image);
  }
}

}  // namespace assay::tools
