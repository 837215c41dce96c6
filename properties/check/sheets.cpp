#include "properties/check/sheets.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::properties {
namespace {

bool failed_already(const Cell& cell) { return cell.verdict.outcome == Outcome::fail; }

}  // namespace

/// Known where failures were, and failed where the ledger speaks of one that did not happen on any of all cases.
void Sum::settle(Cell& cell, bool are_all) const {
  if (failed_already(cell)) return;  // not all cases ran
  for (const KnownInCell& k : cell.known)
    if (k.failed == 0 && are_all) {
      cell.verdict.outcome = Outcome::fail;
      cell.verdict.reason = fmt::format("unexpected pass: {}: '{}' is said to fail, and passed on all of {} cases: take the entry out ({})",
                                        k.entry.place, k.entry.reason, k.passed, k.entry.link);
      cell.smallest = reproducer(cell, k.first), cell.first_failing = to_line(k.first);
      return;
    }
  if (!cell.known.empty() && (cell.verdict.outcome == Outcome::pass || cell.cases == 0))
    cell.verdict.outcome = Outcome::known, cell.verdict.reason = cell.known.front().entry.reason;
}

Reproducer Sum::reproducer(const Cell& cell, const Case& c) const {
  return {.problem = c, .subject = cell.subject, .law = cell.law, .backend = std::string(name(backend)), .plugin = sheet.plugin};
}

Sum::Sum(const SubjectSheet& sheet, const std::vector<std::string>& laws, const Ledger& ledger, Backend backend)
    : sheet(sheet), ledger(ledger), backend(backend), all(cells_of(sheet.subject, laws)) {
  if (!sheet.death.empty()) fail_at_once();
}

/// Nobody speaks for a subject that takes its process with it before any law is asked but the first of them.
void Sum::fail_at_once() {
  const auto conforms = std::ranges::find(all, "conforms", &Cell::law);
  Cell& cell = conforms == all.end() ? all.front() : *conforms;
  const Case c = parse_case(sheet.death_case);
  properties::add(cell, c, failed(sheet.death));
  cell.first_failing = sheet.death_case, cell.smallest = reproducer(cell, c);
}

std::vector<std::string> Sum::open() const {
  std::vector<std::string> laws;
  for (const Cell& cell : all)
    if (!failed_already(cell)) laws.push_back(cell.law);
  return laws;
}

/// Counts a case for the entries of the ledger that speak of it; whether it failed and any does.
bool Sum::is_known(Cell& cell, const Case& c, const Verdict& verdict) const {
  const bool fails = verdict.outcome == Outcome::fail;
  if (!fails && verdict.outcome != Outcome::pass) return false;
  bool any = false;
  for (const KnownFailure& entry : ledger) {
    if (!entry.speaks_of(cell.subject, cell.law, backend, c)) continue;
    auto seen = std::ranges::find(cell.known, entry.place, [](const KnownInCell& k) { return k.entry.place; });
    if (seen == cell.known.end()) seen = cell.known.insert(seen, {.entry = entry, .first = c});
    if (fails && seen->failed == 0) seen->first = c, seen->failure = verdict.reason;
    (fails ? seen->failed : seen->passed)++;
    any = true;
  }
  return fails && any;
}

void Sum::add(CaseSheet& from, const Shrinker& shrink) {
  const Case c = parse_case(from.line);
  for (Cell& cell : all) {
    if (failed_already(cell)) continue;
    const auto found = std::ranges::find(from.laws, cell.law, &LawVerdict::law);
    if (found == from.laws.end()) continue;
    Verdict verdict = found->verdict;
    if (from.drawn) verdict.tried.clear();  // what a suite sets it means to show; drawn cases set whatever comes
    if (is_known(cell, c, verdict)) continue;
    properties::add(cell, c, verdict);
    if (verdict.outcome != Outcome::fail) continue;
    const Shrunk& shrunk = from.shrunk[cell.law] = shrink(cell.law, c, from, verdict);
    cell.first_failing = from.line, cell.smallest = parse_reproducer(shrunk.reproducer), cell.verdict.reason = shrunk.reason;
  }
}

std::vector<Cell> Sum::cells(bool are_all) const {
  std::vector<Cell> cells = all;
  for (Cell& cell : cells) {
    const auto shows = sheet.must_show.find(cell.law);
    if (are_all && shows != sheet.must_show.end()) doubt_unshown(cell, shows->second);
    if (are_all) doubt_vacuous(cell);
    settle(cell, are_all);
  }
  return cells;
}

std::vector<Cell> added_up(Sheets& sheets) {
  std::vector<Cell> all;
  for (SubjectSheet& subject : sheets.subjects) {
    Sum sum(subject, sheets.laws, sheets.ledger, sheets.backend);
    for (CaseSheet& c : subject.cases)
      sum.add(c, [](const std::string& law, const Case&, const CaseSheet& from, const Verdict&) -> Shrunk {
        const auto found = from.shrunk.find(law);
        if (found == from.shrunk.end()) throw BadInput(fmt::format("case {} fails under {}, and is not shrunk", from.number, law));
        return found->second;
      });
    const std::vector<Cell> cells = sum.cells(true);
    all.insert(all.end(), cells.begin(), cells.end());
  }
  return all;
}

}  // namespace assay::properties
