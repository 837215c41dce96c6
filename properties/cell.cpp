#include "properties/cell.hpp"

#include <algorithm>

namespace assay::properties {
namespace {

/// What passed is untrusted all the same.
void doubt(Cell& cell, const std::string& why) {
  if (cell.verdict.outcome != Outcome::pass) return;
  if (cell.untrusted == 0) cell.untrusted_case = cell.worst_case, cell.untrusted_reason = why;
  cell.untrusted = cell.cases;
  cell.verdict.outcome = Outcome::untrusted, cell.verdict.reason = why;
}

}  // namespace

bool speaks_of(const Law& law, Backend backend) { return !law.only || *law.only == backend; }

std::vector<const Law*> laws_for(const std::vector<const Law*>& laws, Backend backend) {
  std::vector<const Law*> chosen;
  for (const Law* law : laws)
    if (speaks_of(*law, backend)) chosen.push_back(law);
  return chosen.empty() ? laws : chosen;
}

std::vector<std::string> names_of(const std::vector<const Law*>& laws) {
  std::vector<std::string> names;
  for (const Law* law : laws) names.push_back(law->name);
  return names;
}

std::vector<Cell> cells_of(const std::string& subject, const std::vector<std::string>& laws) {
  std::vector<Cell> cells;
  for (const std::string& law : laws) cells.push_back({.subject = subject, .law = law, .verdict = skipped("no case of this subject")});
  return cells;
}

void add(Cell& cell, const Case& c, const Verdict& verdict) {
  if (verdict.outcome == Outcome::skip) {
    cell.skipped++;
    const bool is_new = std::ranges::find(cell.skip_reasons, verdict.reason) == cell.skip_reasons.end();
    if (is_new && cell.skip_reasons.size() < kSkipReasons) cell.skip_reasons.push_back(verdict.reason);
    else cell.other_reasons += is_new;
    if (cell.cases == 0) cell.verdict.reason = verdict.reason;
    cell.verdict.tried.insert(verdict.tried.begin(), verdict.tried.end());
    return;
  }
  if (verdict.outcome == Outcome::untrusted && cell.untrusted++ == 0)
    cell.untrusted_case = to_line(c), cell.untrusted_reason = verdict.reason;
  if (verdict.worst_share > cell.verdict.worst_share || cell.cases == 0) cell.worst_case = to_line(c);
  cell.cases++;
  cell.verdict += verdict;
}

bool is_known(const Ledger& ledger, std::string_view subject, std::string_view law, Backend backend, const Case& c) {
  return std::ranges::any_of(ledger, [&](const KnownFailure& entry) { return entry.speaks_of(subject, law, backend, c); });
}

void doubt_vacuous(Cell& cell) {
  const Tally& t = cell.verdict.tally;
  if (t.judged + t.nearest == 0)
    doubt(cell, "no case has an element to check");
  else if (cell.law == "conforms" && t[StandIn::times_1_04].passes_everywhere())
    doubt(cell, "no case would reject results that are 4 % too large");
  else if (cell.law == "conforms" && t[StandIn::times_1_001].passes_everywhere())
    doubt(cell, "no case would reject results that are 0.1 % too large");
}

void doubt_unshown(Cell& cell, const std::vector<std::string>& must_show) {
  std::string names;
  for (const std::string& what : must_show)
    if (cell.verdict.tried.contains(what) && !cell.verdict.shown.contains(what)) names += (names.empty() ? "" : ", ") + what;
  if (!names.empty()) doubt(cell, "set by cases, and none shows that it matters: " + names);
}

}  // namespace assay::properties
