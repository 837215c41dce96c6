#include "tools/assay/catalogue.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fixtures/case/shown.hpp"
#include "fixtures/law.hpp"
#include "fixtures/suite/suite.hpp"
#include "oracles/declaration.hpp"

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

}  // namespace

std::string description(const Contract& c) {
  std::string out = fmt::format("contract {}\n  {}\n  parameters\n", c.name, c.formula);
  for (const Parameter& p : c.parameters) out += fmt::format("    {:<14} {}  ({})\n", p.name, p.meaning, range_text(p));
  out += fmt::format("  stages that may be declared\n    {}\n", slots_text(c));
  for (const Subject& s : registry<Subject>())
    if (s.contract == c.name)
      out += fmt::format("  subject {}\n    {}{}\n    {}\n", s.name, s.summary, s.repeatable ? "" : "; bits may change from run to run",
                         arithmetic_text(c, s));
  return out;
}

std::string overview() {
  std::string out = fmt::format("contracts and their subjects (assay list <contract> tells more)\n");
  for (const Contract& c : registry<Contract>()) {
    out += fmt::format("  {:<20} {}\n", c.name, c.formula);
    for (const Subject& s : registry<Subject>())
      if (s.contract == c.name) out += fmt::format("    {:<24} {}\n", s.name, s.summary);
  }
  out += fmt::format("\nlaws\n");
  for (const Law& l : registry<Law>()) out += fmt::format("  {:<20} {}\n", l.name, l.claim);
  out += fmt::format("\nterms of a bound\n");
  for (int i = 0; i < kTerms; i++) out += fmt::format("  {:<20} {}\n", name(Term(i)), derivation(Term(i)));
  out += fmt::format("\nsuites\n");
  for (const std::string& name : suite_names()) {
    const Suite suite = load_suite(name);
    out += fmt::format("  {:<20} {} cases, {:.2g} multiply-adds on the emulator\n", name, suite.cases.size(), suite.budget);
  }
  out += fmt::format("\nfills\n");
  for (int i = 0; i < kFills; i++) out += fmt::format("  {:<20} {}\n", name(Fill(i)), meaning(Fill(i)));
  return out;
}

const Contract& contract_about(const std::string& name) {
  const Contract* contract = find<Contract>(name);
  if (const Subject* subject = find<Subject>(name); !contract && subject) contract = find<Contract>(subject->contract);
  if (!contract) throw BadInput(fmt::format("'{}' is no contract or subject: see assay list", shown(name)));
  return *contract;
}

}  // namespace assay::tools
