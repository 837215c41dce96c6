// How far a long command is: a bar that redraws itself on a terminal, a line per tenth in a log. On standard error, so that reports can be
// piped.
#pragma once
#include <cstddef>
#include <string>

namespace assay::tools {

class ProgressBar {
 public:
  /// What is counted: "cases".
  explicit ProgressBar(std::string unit = "cases");
  void show(double done, size_t all, const std::string& what);

 private:
  std::string unit;
  bool terminal;
  int last_tenth = 0;
};

}  // namespace assay::tools
