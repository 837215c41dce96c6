#include "tools/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::report {

Table::Table(std::vector<std::string> heading, std::string indent_) : rows{std::move(heading)}, indent(std::move(indent_)) {}

std::string Table::text() const {
  const size_t columns = rows.front().size();
  std::vector<size_t> widths(columns);
  for (const auto& row : rows)
    for (size_t i = 0; i < std::min(columns, row.size()); i++) widths[i] = std::max(widths[i], row[i].size());
  std::string out;
  for (const auto& row : rows) {
    std::string line = indent;
    for (size_t i = 0; i < row.size(); i++) {
      if (i == 0)
        line += fmt::format("{:<{}}", row[i], widths[0]);
      else if (i < columns)
        line += fmt::format("  {:>{}}", row[i], widths[i]);
      else
        line += "  " + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace assay::report
