#include "tools/report/mutants.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "properties/accept_rules.hpp"
#include "tools/report/table.hpp"

namespace assay::report {
namespace {

using properties::accept_rules, properties::Fate, properties::Trial;
using Trials = std::vector<Trial>;

std::string summary(const Trials& all) {
  std::string text = fmt::format("{} killed, {} survived, {} harmless ones unaccused, {} accused, {} unusable", count(all, Fate::killed),
                                 count(all, Fate::survived), count(all, Fate::unaccused), count(all, Fate::accused), count(all, Fate::unusable));
  return text;
}

/// How many killed mutants a rule would have accepted, of those it could be asked about.
std::pair<int, int> accepted_by(const Trials& all, size_t rule) {
  std::pair<int, int> n{0, 0};
  for (const Trial& t : all)
    if (!t.accepted.empty()) n.first += t.accepted[rule], n.second++;
  return n;
}

std::string accepting(const Trial& t) {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < t.accepted.size(); i++)
    if (t.accepted[i]) names.push_back(accept_rules()[i].name);
  if (t.accepted.empty()) return "-";
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

std::string escaped(std::string text) {
  for (size_t at = 0; (at = text.find('|', at)) != text.npos; at += 2) text.insert(at, "\\");
  return text;
}

constexpr std::string_view kHead = R"(# Mutants

Faults planted in copies of the kernels, one file each in `mutants/`, and what became of them: which laws fail on the first of the drawn cases that any
fails on, how many cases that took, the case it shrinks to, and which accept rules of other suites would have let the same outputs pass.
Made by `assay mutants --markdown properties/MUTANTS.md`, and kept by a test that makes it again.

)";

}  // namespace

int64_t count(const Trials& all, Fate fate) { return std::ranges::count(all, fate, &Trial::fate); }

double median_seconds(const Trials& all) {
  std::vector<double> seconds;
  for (const Trial& t : all)
    if (t.fate == Fate::killed) seconds.push_back(t.seconds);
  if (seconds.empty()) return 0;
  std::ranges::nth_element(seconds, seconds.begin() + int64_t(seconds.size() / 2));
  return seconds[seconds.size() / 2];
}

int exit_code(const Trials& all) {
  if (all.empty()) return 3;
  if (count(all, Fate::unusable)) return 2;
  return count(all, Fate::killed) + count(all, Fate::unaccused) == int64_t(all.size()) ? 0 : 1;
}

std::string to_text(const Trials& all) {
  Table table({"mutant", "fate", "cases", "s", "laws"}, "  ");
  for (const Trial& t : all)
    table.add({t.mutant.name, std::string(name(t.fate)), std::to_string(t.cases), fmt::format("{:.2f}", t.seconds),
               fmt::format("{}", fmt::join(t.laws, " "))});
  std::string text = table.text();
  for (const Trial& t : all)
    if (t.fate == Fate::survived || t.fate == Fate::accused || t.fate == Fate::unusable)
      text += fmt::format("\n{} {}: {}\n  {}\n", name(t.fate), t.mutant.name, t.mutant.harmless.empty() ? t.mutant.models : t.mutant.harmless,
                          t.fate == Fate::survived ? fmt::format("no law failed in {} cases", t.cases)
                                                   : t.reason + (t.laws.empty() ? "" : "\n  " + to_line(t.smallest)));
  text += "\nwould have been accepted, on the same outputs, by\n";
  Table rules({"rule", "mutants", "of", "accepts"}, "  ");
  for (size_t i = 0; i < accept_rules().size(); i++) {
    const auto [accepted, of] = accepted_by(all, i);
    rules.add({std::string(accept_rules()[i].name), std::to_string(accepted), std::to_string(of), std::string(accept_rules()[i].says)});
  }
  return text + rules.text() + fmt::format("\n{}; median time to detection {:.3f} s\n", summary(all), median_seconds(all));
}

std::string to_markdown(const Trials& all) {
  std::string text = std::string(kHead) + summary(all) + ".\n\n| accept rule | what it asks | faults it lets pass | of |\n|---|---|---|---|\n";
  for (size_t i = 0; i < accept_rules().size(); i++) {
    const auto [accepted, of] = accepted_by(all, i);
    text += fmt::format("| {} | {} | {} | {} |\n", accept_rules()[i].name, escaped(std::string(accept_rules()[i].says)), accepted, of);
  }
  text += "\nOf the faults, those whose outputs are values; the rules know nothing of bounds of memory, races and reruns.\n";
  std::string kernel;
  for (const Trial& t : all) {
    if (!t.mutant.harmless.empty()) continue;
    if (t.mutant.kernel != kernel) {
      kernel = t.mutant.kernel;
      text += fmt::format("\n## {}\n\n| fault | class | seen by | cases | shrinks to | let pass by |\n|---|---|---|---|---|---|\n", kernel);
    }
    text += fmt::format("| **{}**: {} | {} | {} | {} | `{}` | {} |\n", t.mutant.name, escaped(t.mutant.models), t.mutant.class_of_bug,
                        t.laws.empty() ? std::string(name(t.fate)) : fmt::format("{}", fmt::join(t.laws, ", ")), t.cases,
                        t.laws.empty() ? "" : to_line(t.smallest), accepting(t));
  }
  text += "\n## Harmless changes\n\nNo law may fail for these.\n\n| change | why it is legal | cases | |\n|---|---|---|---|\n";
  for (const Trial& t : all)
    if (!t.mutant.harmless.empty())
      text += fmt::format("| **{}**: {} | {} | {} | {} |\n", t.mutant.name, escaped(t.mutant.models), escaped(t.mutant.harmless), t.cases, name(t.fate));
  return text;
}

}  // namespace assay::report
