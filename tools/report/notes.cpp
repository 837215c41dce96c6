#include "tools/report/notes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay::report {

std::vector<std::string> notes_on(const std::vector<Undeclared>& subjects, const std::vector<properties::Cell>& cells) {
  std::vector<std::string> notes;
  for (const Undeclared& s : subjects) {
    std::vector<std::string> lost;
    for (const properties::Cell& c : cells)
      if (c.subject == s.subject && (c.untrusted || (c.law == "drifts" && c.skipped))) lost.push_back(c.law);
    const std::string laws = lost.empty() ? "" : fmt::format("  laws that say less, or nothing, without it: {}\n", fmt::join(lost, ", "));
    notes.push_back(s.assumed + laws + s.advice);
  }
  return notes;
}

}  // namespace assay::report
