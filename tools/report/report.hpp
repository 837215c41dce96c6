// What a check found, ready to be shown: on a terminal, as JSON, as JUnit XML.
#pragma once
#include <string>
#include <vector>

#include "fixtures/memory/device.hpp"
#include "properties/check.hpp"

namespace assay::report {

struct Report {
  std::string suite;
  uint64_t seed = 0, schedule = 0;
  int drawn_cases = 0;
  std::string backend;
  DeviceDescription device;
  double seconds = 0;
  std::vector<properties::Cell> cells;
};

/// 0 all passed, 1 a failure, 3 nothing was checked, or part of what was asked is Untrusted and so unchecked.
int exit_code(const std::vector<properties::Cell>&);

/// The matrix of subject x law, what was counted, and for each failure its reason and one line that reproduces it.
std::string to_text(const Report&, bool colour);
std::string to_json(const Report&);
std::string to_junit(const Report&);

/// Writes beside the target and renames, so that nobody meets half a file. Throws BadInput naming the path.
void write_file(const std::string& path, const std::string& contents);
/// Throws BadInput if the path cannot be written, before any work is spent.
void check_writable(const std::string& path);

}  // namespace assay::report
