#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fixtures/case/shown.hpp"
#include "fixtures/law.hpp"
#include "fixtures/plugin/plugin.hpp"
#include "fixtures/suite/suite.hpp"
#include "oracles/declaration.hpp"
#include "tools/assay/commands.hpp"

namespace assay::tools {
namespace {

std::string range_text(const Parameter& p) {
  if (!p.words.empty()) return fmt::format("{}", fmt::join(p.words, " | "));
  if (std::holds_alternative<double>(p.standard))
    return fmt::format("{} .. {}, standard {}", p.real_low, p.real_high, std::get<double>(p.standard));
  return fmt::format("{} .. {}, standard {}", p.low, p.high, std::get<int64_t>(p.standard));
}

std::string arithmetic_text(const Contract& c, const Subject& s) {
  const std::string text = s.arithmetic(standard_case(c).parameters).text();
  return s.declared ? text : "nothing is declared; assumed: " + text;
}

void describe(const Contract& c) {
  fmt::print("contract {}\n  {}\n  parameters\n", c.name, c.formula);
  for (const Parameter& p : c.parameters) fmt::print("    {:<14} {}  ({})\n", p.name, p.meaning, range_text(p));
  fmt::print("  stages that may be declared\n    {}\n", slots_text(c));
  for (const Subject& s : registry<Subject>())
    if (s.contract == c.name)
      fmt::print("  subject {}\n    {}{}\n    {}\n", s.name, s.summary, s.repeatable ? "" : "; bits may change from run to run", arithmetic_text(c, s));
}

void overview() {
  fmt::print("contracts and their subjects (assay list <contract> tells more)\n");
  for (const Contract& c : registry<Contract>()) {
    fmt::print("  {:<20} {}\n", c.name, c.formula);
    for (const Subject& s : registry<Subject>())
      if (s.contract == c.name) fmt::print("    {:<24} {}\n", s.name, s.summary);
  }
  fmt::print("\nlaws\n");
  for (const Law& l : registry<Law>()) fmt::print("  {:<20} {}\n", l.name, l.claim);
  fmt::print("\nterms of a bound\n");
  for (int i = 0; i < kTerms; i++) fmt::print("  {:<20} {}\n", name(Term(i)), derivation(Term(i)));
  fmt::print("\nsuites\n");
  for (const std::string& name : suite_names()) {
    const Suite suite = load_suite(name);
    fmt::print("  {:<20} {} cases, {:.2g} multiply-adds on the emulator\n", name, suite.cases.size(), suite.budget);
  }
  fmt::print("\nfills\n");
  for (int i = 0; i < kFills; i++) fmt::print("  {:<20} {}\n", name(Fill(i)), meaning(Fill(i)));
}

/// The contract of that name, or the one that the subject of that name implements.
const Contract& contract_about(const std::string& name) {
  const Contract* contract = find<Contract>(name);
  if (const Subject* subject = find<Subject>(name); !contract && subject) contract = find<Contract>(subject->contract);
  if (!contract) throw BadInput(fmt::format("'{}' is no contract or subject: see assay list", shown(name)));
  return *contract;
}

}  // namespace

int list(const std::vector<std::string>& names, const std::vector<std::string>& plugins) {
  for (const std::string& file : plugins) add_to_registry(load_plugin(file));
  std::vector<const Contract*> contracts;  // all found before anything is printed
  for (const std::string& name : names) contracts.push_back(&contract_about(name));
  for (const Contract* contract : contracts) describe(*contract);
  if (names.empty()) overview();
  return 0;
}

}  // namespace assay::tools
