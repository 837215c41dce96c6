#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "properties/laws/bias.hpp"
#include "properties/laws/counts.hpp"
#include "tools/report/report.hpp"

namespace assay::report {
namespace {

using properties::Cell;

std::string painted(const std::string& text, Outcome outcome, bool colour) {
  if (!colour) return text;
  const char* code = outcome == Outcome::pass ? "32" : outcome == Outcome::fail ? "1;31" : "33";
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

/// A law that says nothing about any of the subject's cases.
bool is_empty(const Cell& cell) { return cell.cases == 0 && cell.skipped == 0 && cell.known.empty(); }

int known_failures(const Cell& cell) {
  int all = 0;
  for (const properties::KnownInCell& k : cell.known) all = std::max(all, k.failed);
  return all;
}

/// "pass 41" cases, "FAIL at 3": the third case failed, "known 2" failures, "skip"; "-" where there was nothing to check.
std::string outcome_text(const Cell& cell) {
  if (is_empty(cell)) return "-";
  if (cell.verdict.outcome == Outcome::known) return fmt::format("known {}", known_failures(cell));
  const int checked = cell.cases - cell.untrusted;
  if (cell.verdict.outcome == Outcome::fail) return fmt::format("FAIL at {}", checked);
  return checked ? fmt::format("{} {}", name(cell.verdict.outcome), checked) : std::string(name(cell.verdict.outcome));
}

std::vector<std::string> in_order(const std::vector<Cell>& cells, std::string Cell::*member) {
  std::vector<std::string> names;
  for (const Cell& c : cells)
    if (std::find(names.begin(), names.end(), c.*member) == names.end()) names.push_back(c.*member);
  return names;
}

const Cell* cell_at(const std::vector<Cell>& cells, const std::string& subject, const std::string& law) {
  for (const Cell& c : cells)
    if (c.subject == subject && c.law == law) return &c;
  return nullptr;
}

/// The cell of a subject that was judged against the bound.
const Cell* judged_cell(const std::vector<Cell>& cells, const std::string& subject) { return cell_at(cells, subject, "conforms"); }

std::string share_text(const Cell* cell) {
  if (!cell || cell->verdict.tally.judged == 0) return "-";
  if (cell->verdict.worst_share <= 0) return "0";
  return fmt::format("{:.3f} {}", cell->verdict.worst_share, name(cell->verdict.worst_term));
}

std::string legal_text(const Cell* cell) {
  if (!cell || cell->verdict.tally.judged == 0) return "-";
  const Tally& t = cell->verdict.tally;
  return fmt::format("{:.4f} %", std::floor(1e6 * double(t.single_legal) / double(t.judged)) / 1e4);
}

void add_matrix(std::string& out, const Report& report, bool colour) {
  const auto subjects = in_order(report.cells, &Cell::subject), laws = in_order(report.cells, &Cell::law);
  size_t wide = 7;
  for (const auto& s : subjects) wide = std::max(wide, s.size());
  out += fmt::format("{:<{}}", "subject", wide + 2);
  for (const auto& law : laws) out += fmt::format("{:<14}", law);
  out += fmt::format("{:<22}{:<14}{}\n", "worst share of bound", "one legal", "elements");
  for (const auto& subject : subjects) {
    out += fmt::format("{:<{}}", subject, wide + 2);
    for (const auto& law : laws) {
      const Cell* cell = cell_at(report.cells, subject, law);
      out += cell ? painted(fmt::format("{:<14}", outcome_text(*cell)), cell->verdict.outcome, colour) : fmt::format("{:<14}", "");
    }
    const Cell* judged = judged_cell(report.cells, subject);
    out += fmt::format("{:<22}{:<14}{}\n", share_text(judged), legal_text(judged), judged ? judged->verdict.tally.judged : 0);
  }
}

/// Where law `drifts` ran: how far truncation took the mean, beside what it was expected to.
void add_drifts(std::string& out, const Report& report) {
  bool first = true;
  for (const Cell& c : report.cells) {
    const Drift& d = c.verdict.drift;
    if (c.law != "drifts" || d.elements == 0) continue;
    out += fmt::format("{}drift of {}: {:.3g} ulp toward zero, {:.3g} expected, in the mean of {:.0f} elements\n", first ? "\n" : "",
                       c.subject, d.seen / d.elements, d.expected / d.elements, d.elements);
    first = false;
  }
}

/// Where law `unbiased` ran: the mean of the errors, beside what it may be.
void add_means(std::string& out, const Report& report) {
  bool first = true;
  for (const Cell& c : report.cells) {
    const Residuals& r = c.verdict.residuals;
    if (c.law != "unbiased" || r.size == 0) continue;
    const bias::Range range = bias::allowed(r, r.squares, bias::kAlpha);
    out += fmt::format("{}mean error of {}: {:.3g} % away from zero, {:.3g} to {:.3g} % may be, in {:.0f} elements\n", first ? "\n" : "", c.subject,
                       100 * r.seen / r.size, 100 * range.low / r.size, 100 * range.high / r.size, r.elements);
    first = false;
  }
}

/// Where law `rounds` ran: what was found of errors before the last rounding, and of that rounding, beside what is to be expected at most.
void add_roundings(std::string& out, const Report& report) {
  bool first = true;
  for (const Cell& c : report.cells) {
    const Roundings& r = c.verdict.roundings;
    if (c.law != "rounds" || r.codes.trials == 0) continue;
    double half_way = 0, away = 0;
    for (const HalfWay& h : r.half_way) half_way += h.away.trials, away += h.away.seen;
    out += fmt::format("{}rounding of {}: error before it {:.3g} ulp in the root mean square, {:.3g} predicted; off by one code {:.0f} of {:.0f}, "
                       "{:.3g} expected at most; wrong side far from half-way {:.0f} of {:.0f}, {:.3g}; away from zero near half-way {:.0f} of {:.0f}\n",
                       first ? "\n" : "", c.subject, counts::rms(r), counts::rms_predicted(r), r.codes.seen, r.codes.trials, r.codes.expected,
                       r.decided.seen, r.decided.trials, r.decided.expected, away, half_way);
    first = false;
  }
}

/// Where the results' format is too coarse for 0.1 % to change any of them.
void add_swallowed(std::string& out, const Report& report) {
  std::string subjects;
  for (const Cell& c : report.cells)
    if (c.law == "conforms" && c.verdict.tally.swallows(StandIn::times_1_001)) subjects += " " + c.subject;
  if (!subjects.empty()) out += fmt::format("\n0.1 % is not seen, since it changes no result:\n {}\n", subjects);
}

void add_failures(std::string& out, const Report& report, bool colour) {
  for (const Cell& c : report.cells) {
    if (c.verdict.outcome != Outcome::fail) continue;
    out += fmt::format("\n{}  {}.{}\n  {}\n", painted("FAIL", Outcome::fail, colour), c.law, c.subject, c.verdict.reason);
    if (!c.first_failing.empty() && c.first_failing != to_line(c.smallest.problem)) out += fmt::format("  first seen with: {}\n", c.first_failing);
    out += fmt::format("  assay repro '{}'\n", to_line(c.smallest));
  }
}

void add_known(std::string& out, const Report& report) {
  for (const Cell& c : report.cells)
    for (const properties::KnownInCell& k : c.known)
      if (k.failed)
        out += fmt::format("\nknown  {}.{}: {} ({})\n  {}: {} cases fail and {} pass, e.g. {}\n  {}\n", c.law, c.subject, k.entry.reason,
                           k.entry.link, k.entry.place, k.failed, k.passed, to_line(k.first), k.failure);
}

void add_unchecked(std::string& out, const Report& report) {
  std::map<std::string, std::vector<std::string>> reasons;
  for (const Cell& c : report.cells) {
    if (c.untrusted) reasons[fmt::format("untrusted: {} ({} cases, e.g. {})", c.untrusted_reason, c.untrusted, c.untrusted_case)].push_back(c.law + "." + c.subject);
    for (const std::string& why : c.skip_reasons) reasons["skip: " + why].push_back(c.law + "." + c.subject);
  }
  if (!reasons.empty()) out += "\n";
  for (const auto& [reason, cells] : reasons) {
    out += fmt::format("{}\n ", reason);
    for (const std::string& cell : cells) out += " " + cell;
    out += "\n";
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
  add_drifts(out, report);
  add_means(out, report);
  add_roundings(out, report);
  add_swallowed(out, report);
  add_failures(out, report, colour);
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
