#include "tools/report/cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay::report {

using properties::Cell;

std::vector<std::string> in_order(const std::vector<Cell>& cells, std::string Cell::*member) {
  std::vector<std::string> names;
  for (const Cell& c : cells)
    if (std::ranges::find(names, c.*member) == names.end()) names.push_back(c.*member);
  return names;
}

const Cell* cell_at(const std::vector<Cell>& cells, const std::string& subject, const std::string& law) {
  const auto found = std::ranges::find_if(cells, [&](const Cell& c) { return c.subject == subject && c.law == law; });
  return found == cells.end() ? nullptr : &*found;
}

bool is_empty(const Cell& cell) { return cell.cases == 0 && cell.skipped == 0 && cell.known.empty(); }

std::string outcome_text(const Cell& cell) {
  if (is_empty(cell)) return "-";
  if (cell.verdict.outcome == Outcome::known) {
    int failures = 0;
    for (const properties::KnownInCell& k : cell.known) failures = std::max(failures, k.failed);
    return fmt::format("known {}", failures);
  }
  const int checked = cell.cases - cell.untrusted;
  if (cell.verdict.outcome == Outcome::fail) return fmt::format("FAIL at {}", checked);
  return checked ? fmt::format("{} {}", name(cell.verdict.outcome), checked) : std::string(name(cell.verdict.outcome));
}

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

}  // namespace assay::report
