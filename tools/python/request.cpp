#include "tools/python/request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "fixtures/case/shown.hpp"
#include "fixtures/fill/random.hpp"
#include "properties/generators/cases.hpp"
#include "tools/assay/filter.hpp"
#include "tools/python/library.h"
#include "tools/tensors/replay.hpp"

namespace assay::tools {
namespace {

constexpr double kMostWork = 1e6;  // multiply-adds of a drawn case, as of those of `assay check`

std::vector<std::string> split(const char* text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text ? text : "");
  for (std::string part; std::getline(stream, part, separator);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

/// The named parameters with their values.
std::vector<Setting> fixed_of(const assay_request& request, const Contract& contract) {
  if (!request.fixed || !*request.fixed) return {};
  const Case c = parse_case(contract.name + " " + request.fixed);
  std::vector<Setting> all;
  for (const std::string& word : split(request.fixed, ' ')) {
    const std::string name = word.substr(0, word.find('='));
    if (name == "fill" || name == "seed") throw BadInput(fmt::format("'{}' is no parameter: give cases as lines to fix it", name));
    all.push_back({name, c.parameters.at(name)});
  }
  return all;
}

std::optional<std::string> other_than(const std::vector<Setting>& fixed, const Parameters& p) {
  for (const Setting& s : fixed)
    if (p.at(s.name) != s.value) return fmt::format("this check keeps {} fixed", s.name);
  return {};
}

/// The contract as if nothing but the fixed values were legal, to draw from.
Contract narrowed(Contract contract, const std::vector<Setting>& fixed) {
  for (Parameter& p : contract.parameters)
    for (const Setting& s : fixed) {
      if (p.name != s.name) continue;
      p.standard = s.value;
      if (const auto* whole = std::get_if<int64_t>(&s.value)) p.low = p.high = *whole, p.unit = 1;
      if (const auto* real = std::get_if<double>(&s.value)) p.real_low = p.real_high = *real;
      if (const auto* word = std::get_if<std::string>(&s.value)) p.words = {*word};
    }
  return contract;
}

void add_unless_there(std::vector<Case>& cases, const Case& c) {
  if (std::ranges::find(cases, c) == cases.end()) cases.push_back(c);
}

std::vector<Case> with(const std::vector<Setting>& fixed, const std::vector<Case>& cases, const std::string& contract) {
  std::vector<Case> all;
  for (Case c : cases) {
    if (c.contract != contract) continue;
    for (const Setting& s : fixed) c.parameters.set(s.name, s.value);
    if (!refusal(c)) add_unless_there(all, c);
  }
  return all;
}

std::vector<Case> drawn(const assay_request& request, const Subject& subject, const Contract& contract) {
  const Stream random(request.seed, subject.name);
  uint64_t index = 0;
  std::vector<Case> cases;
  for (int i = 0; i < request.cases; i++) {
    const Case c = properties::draw_case(
        contract, 100 * (i + 1) / request.cases, kMostWork, [&](uint64_t n) { return random.below(n, index++); },
        [&](const Case& found) { return !subject.refuses(found.parameters); });
    if (!refusal(c)) add_unless_there(cases, c);
  }
  return cases;
}

/// Cases that are given as lines, and the laws that these name.
struct Lines {
  std::vector<Case> cases;
  std::vector<std::string> laws;
};

Lines lines_of(const assay_request& request, const std::string& contract) {
  Lines all;
  bool every = true;
  for (const std::string& line : split(request.lines, '\n')) {
    const Reproducer r = parse_reproducer(line);
    if (r.problem.contract != contract)
      throw BadInput(fmt::format("case '{}' is one of {}: want cases of {}", to_line(r.problem), r.problem.contract, contract));
    add_unless_there(all.cases, r.problem);
    if (r.law.empty())
      every = false;
    else
      all.laws.push_back(r.law);
  }
  if (!every) all.laws.clear();
  return all;
}

std::vector<const Law*> laws_of(const std::vector<std::string>& words) {
  std::vector<const Law*> chosen;
  std::vector<std::string> names;
  for (const Law& law : registry<Law>()) names.push_back(law.name);
  for (const std::string& word : words)
    if (std::ranges::none_of(names, [&](const std::string& name) { return matches(word, name); }))
      throw BadInput(fmt::format("'{}' is no law: want one of {}", printable(word), fmt::join(names, ", ")));
  for (const Law& law : registry<Law>())
    if (words.empty() || std::ranges::any_of(words, [&](const std::string& word) { return matches(word, law.name); }))
      chosen.push_back(&law);
  return chosen;
}

}  // namespace

properties::Plan plan_of(const assay_request& request, Subject& subject, std::string& note) {
  const Contract& contract = *find<Contract>(subject.contract);
  if (request.cases < 0) throw BadInput(fmt::format("cases is {}: want 0 or more", request.cases));
  const std::vector<std::string> laws = split(request.laws, ' ');
  if (request.operands) {
    properties::Plan plan{.suite = {}, .subjects = {&subject}, .laws = laws_of(laws), .seed = request.seed, .ledger = {}};
    const Replay replay{.file = request.operands, .line = request.fixed ? request.fixed : "", .names = {}};
    note = replay_into(plan, replay, from_safetensors);
    return plan;
  }
  const std::vector<Setting> fixed = fixed_of(request, contract);
  subject.refuses = [fixed, own = subject.refuses](const Parameters& p) {
    if (auto why = other_than(fixed, p)) return why;
    return own(p);
  };
  const Lines lines = lines_of(request, contract.name);
  properties::Plan plan{.suite = request.suite ? load_suite(request.suite) : Suite{.name = "of given cases", .budget = 1e18, .cases = {}},
                        .subjects = {&subject},
                        .laws = laws_of(laws.empty() ? lines.laws : laws),
                        .seed = request.seed,
                        .seconds_to_shrink = request.shrink_seconds};
  plan.suite.cases = with(fixed, plan.suite.cases, contract.name);
  for (const Case& c : lines.cases) add_unless_there(plan.suite.cases, c);
  for (const Case& c : drawn(request, subject, narrowed(contract, fixed))) add_unless_there(plan.suite.cases, c);
  if (plan.suite.cases.empty())
    throw BadInput(
        fmt::format("there is no case of {} in what was asked for{}", contract.name, fixed.empty() ? "" : " with these parameters fixed"));
  return plan;
}

properties::FuzzPlan fuzz_plan_of(const assay_request& request, const Subject& subject, Backend backend) {
  if (!(request.seconds >= 0) || request.cases < 0 || (request.seconds == 0 && request.cases == 0))
    throw BadInput(fmt::format("{} seconds and {} cases: want a limit above 0 of either", request.seconds, request.cases));
  if (request.jobs < 1) throw BadInput(fmt::format("jobs is {}: want 1 or more", request.jobs));
  return {.subjects = {&subject},
          .seed = request.seed,
          .cases = request.cases,
          .seconds = request.seconds,
          .jobs = request.jobs,
          .multiply_adds = properties::fuzzed_work(*find<Contract>(subject.contract), backend),
          .contents = false,
          .journal = request.journal ? request.journal : ""};
}

}  // namespace assay::tools
