// Plain text in columns: the first left-aligned, the others right-aligned, each as wide as its widest cell.
#pragma once
#include <string>
#include <vector>

namespace assay::report {

class Table {
 public:
  explicit Table(std::vector<std::string> heading, std::string indent = {});
  /// A row may be shorter than the heading; what lies beyond it is written behind the last column as it is.
  void add(std::vector<std::string> row) { rows.push_back(std::move(row)); }
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows;  // the heading first
  std::string indent;
};

}  // namespace assay::report
