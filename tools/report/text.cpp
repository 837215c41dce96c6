#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "tools/report/cells.hpp"
#include "tools/report/places.hpp"
#include "tools/report/report.hpp"
#include "tools/report/statistics.hpp"
#include "tools/report/table.hpp"

namespace assay::report {
namespace {

using properties::Cell;

// What is shown in full where much fails; the rest is counted, and stands in the JSON report. Names in one list, at most so many.
constexpr size_t kFailures = 20, kNames = 40;
// Characters of a reason: a plug-in's may be thousands.
constexpr size_t kReason = 600;

std::string shortened(const std::string& reason) { return reason.size() > kReason ? reason.substr(0, kReason) + " ..." : reason; }

/// "a b c and 7 more".
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kNames); i++) text += " " + names[i];
  return names.size() > kNames ? text + fmt::format(" and {} more", names.size() - kNames) : text;
}

std::string painted(const std::string& text, Outcome outcome, bool colour) {
  if (!colour) return text;
  const char* code = outcome == Outcome::pass ? "32" : outcome == Outcome::fail ? "1;31" : "33";
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

/// Beyond this many laws their columns no longer fit a terminal: then they are counted, and those named that did not pass.
constexpr size_t kColumns = 8;

void add_counts(std::string& out, const Report& report, bool colour) {
  Table table({"subject", "laws passed", "cases", "worst share of bound", "one legal", "elements"});
  for (const std::string& subject : in_order(report.cells, &Cell::subject)) {
    int laws = 0, passed = 0, cases = 0;
    std::string others;
    for (const Cell& cell : report.cells) {
      if (cell.subject != subject || is_empty(cell)) continue;
      const Outcome outcome = cell.verdict.outcome;
      laws++, cases += cell.cases;
      if (outcome == Outcome::pass) passed++;
      else others += "  " + painted(cell.law + " " + outcome_text(cell), outcome, colour);
    }
    const Cell* judged = cell_at(report.cells, subject, "conforms");
    std::vector<std::string> row{subject, fmt::format("{} of {}", passed, laws), fmt::format("{}", cases), share_text(judged),
                                 legal_text(judged), fmt::format("{}", judged ? judged->verdict.tally.judged : 0)};
    if (!others.empty()) row.push_back(others.substr(2));
    table.add(std::move(row));
  }
  out += table.text();
  std::string line = "laws:";
  for (const std::string& law : in_order(report.cells, &Cell::law)) {
    if (line.size() + law.size() >= 100) out += std::exchange(line, "     ") + "\n";
    line += " " + law;
  }
  out += line + "\n";
}

void add_matrix(std::string& out, const Report& report, bool colour) {
  const auto subjects = in_order(report.cells, &Cell::subject), laws = in_order(report.cells, &Cell::law);
  if (laws.size() > kColumns) return add_counts(out, report, colour);
  size_t wide = 7;
  for (const auto& s : subjects) wide = std::max(wide, s.size());
  out += fmt::format("{:<{}}", "subject", wide + 2);
  size_t column = 14;
  for (const auto& law : laws) column = std::max(column, law.size() + 2);
  for (const auto& law : laws) out += fmt::format("{:<{}}", law, column);
  out += fmt::format("{:<22}{:<14}{}\n", "worst share of bound", "one legal", "elements");
  for (const auto& subject : subjects) {
    out += fmt::format("{:<{}}", subject, wide + 2);
    for (const auto& law : laws) {
      const Cell* cell = cell_at(report.cells, subject, law);
      out += cell ? painted(fmt::format("{:<{}}", outcome_text(*cell), column), cell->verdict.outcome, colour) : std::string(column, ' ');
    }
    const Cell* judged = cell_at(report.cells, subject, "conforms");
    out += fmt::format("{:<22}{:<14}{}\n", share_text(judged), legal_text(judged), judged ? judged->verdict.tally.judged : 0);
  }
}

/// What the laws found that look at all elements together.
void add_statistics(std::string& out, const Report& report) {
  const Statistics statistics = statistics_of(report.cells);
  if (statistics.rows.empty()) return;
  Table table(statistics.heading);
  for (const auto& row : statistics.rows) table.add(row);
  out += "\n" + table.text();
  for (const std::string& line : statistics.legend) out += "  " + line + "\n";
}

/// Where the wrong elements of a subject lie, if it was looked at.
void add_places(std::string& out, const Report& report) {
  for (const properties::Portrait& p : report.portraits)
    for (const std::string& place : places_of(p)) out += fmt::format("\n{}: {}\n", p.subject, place);
}

/// Where the results' format is too coarse for 0.1 % to change any of them.
void add_swallowed(std::string& out, const Report& report) {
  std::vector<std::string> subjects;
  for (const Cell& c : report.cells)
    if (c.law == "conforms" && c.verdict.tally.swallows(StandIn::times_1_001)) subjects.push_back(c.subject);
  if (!subjects.empty()) out += fmt::format("\n0.1 % is not seen, since it changes no result:\n {}\n", listed(subjects));
}

/// "conforms 12, exact 3": of the failures from `first` on.
std::string counted(const std::vector<const Cell*>& failures, std::string Cell::*member) {
  std::map<std::string, int> counts;
  std::vector<std::string> names;
  for (size_t i = kFailures; i < failures.size(); i++)
    if (counts[failures[i]->*member]++ == 0) names.push_back(failures[i]->*member);
  for (std::string& name : names) name += fmt::format(" {}", counts[name]);
  return listed(names);
}

void add_failures(std::string& out, const Report& report, bool colour) {
  std::vector<const Cell*> failures;
  for (const Cell& c : report.cells)
    if (c.verdict.outcome == Outcome::fail) failures.push_back(&c);
  for (size_t i = 0; i < std::min(failures.size(), kFailures); i++) {
    const Cell& c = *failures[i];
    out += fmt::format("\n{}  {}.{}\n  {}\n", painted("FAIL", Outcome::fail, colour), c.law, c.subject, shortened(c.verdict.reason));
    if (!c.first_failing.empty() && c.first_failing != to_line(c.smallest.problem)) out += fmt::format("  first seen with: {}\n", c.first_failing);
    out += fmt::format("  {}\n", command_again(c, ""));
  }
  if (failures.size() > kFailures)
    out += fmt::format("\n{}  {} more, in full in the report of --json; by law:{}; by subject:{}\n", painted("FAIL", Outcome::fail, colour),
                       failures.size() - kFailures, counted(failures, &Cell::law), counted(failures, &Cell::subject));
}

void add_known(std::string& out, const Report& report) {
  size_t met = 0;
  for (const Cell& c : report.cells)
    for (const properties::KnownInCell& k : c.known)
      if (k.failed && met++ < kFailures)
        out += fmt::format("\nknown  {}.{}: {} ({})\n  {}: {} cases fail and {} pass, e.g. {}\n  {}\n", c.law, c.subject, k.entry.reason,
                           k.entry.link, k.entry.place, k.failed, k.passed, to_line(k.first), shortened(k.failure));
  if (met > kFailures) out += fmt::format("\nknown  {} more, in the report of --json\n", met - kFailures);
}

void add_unchecked(std::string& out, const Report& report) {
  std::map<std::string, std::vector<std::string>> reasons;
  for (const Cell& c : report.cells) {
    const std::string name = c.law + "." + c.subject;
    if (c.untrusted)
      reasons[fmt::format("untrusted: {} ({} cases, e.g. {})", shortened(c.untrusted_reason), c.untrusted, c.untrusted_case)].push_back(name);
    for (const std::string& why : c.skip_reasons) reasons["skip: " + shortened(why)].push_back(name);
    if (c.other_reasons) reasons["skip: for other reasons than these"].push_back(name);
  }
  if (!reasons.empty()) out += "\n";
  size_t left = 2 * kNames;
  for (const auto& [reason, cells] : reasons) {
    if (left-- == 0) {
      out += fmt::format("and {} more reasons, in the report of --json\n", reasons.size() - 2 * kNames);
      break;
    }
    out += fmt::format("{}\n {}\n", reason, listed(cells));
  }
}

}  // namespace

int exit_code(const std::vector<Cell>& cells) {
  bool passed = false, unchecked = false;
  for (const Cell& c : cells) {
    if (c.verdict.outcome == Outcome::fail) return 1;
    passed |= c.verdict.outcome == Outcome::pass || c.verdict.outcome == Outcome::known;
    unchecked |= c.verdict.outcome == Outcome::untrusted;
  }
  return passed && !unchecked ? 0 : 3;
}

std::string to_text(const Report& report, bool colour) {
  std::string out;
  add_matrix(out, report, colour);
  add_statistics(out, report);
  add_swallowed(out, report);
  add_failures(out, report, colour);
  add_places(out, report);
  add_known(out, report);
  add_unchecked(out, report);
  for (const std::string& note : report.notes) out += "\n" + note + "\n";
  int passed = 0, failed_cells = 0, known = 0, unchecked = 0, empty = 0;
  for (const Cell& c : report.cells) {
    const Outcome o = c.verdict.outcome;
    (is_empty(c) ? empty : o == Outcome::pass ? passed : o == Outcome::fail ? failed_cells : o == Outcome::known ? known : unchecked)++;
  }
  out += fmt::format("\n{} passed, {} failed, {}{} unchecked, {} without a case; suite {}, {} ({}), seed {}, {:.1f} s\n", passed, failed_cells,
                     known ? fmt::format("{} known to fail, ", known) : "", unchecked, empty, report.suite, report.backend,
                     report.device.name.empty() ? "no device" : report.device.name, report.seed, report.seconds);
  return out;
}

}  // namespace assay::report
