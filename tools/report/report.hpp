// What a check found, ready to be shown: on a terminal, as JSON, as JUnit XML, as one page of HTML.
#pragma once
#include <string>
#include <vector>

#include "fixtures/memory/device.hpp"
#include "properties/check.hpp"
#include "properties/portrait.hpp"

namespace assay::report {

struct Report {
  std::string suite;
  uint64_t seed = 0, schedule = 0;
  int drawn_cases = 0;
  std::string backend;
  DeviceDescription device;
  double seconds = 0;
  std::vector<properties::Cell> cells;
  std::vector<std::string> notes{};   // on subjects, a line or more each
  std::vector<properties::Portrait> portraits{};   // of subjects, where a page was asked for
  std::string version{}, image{};     // of this program; in place of the subjects' own, empty: none
};

/// 0 all passed or failed as the ledger says, 1 another failure, 3 nothing was checked, or part of what was asked is Untrusted and so unchecked.
int exit_code(const std::vector<properties::Cell>&);

/// The matrix of subject x law, what was counted, and for each failure its reason and one line that reproduces it.
std::string to_text(const Report&, bool colour);
std::string to_json(const Report&);
std::string to_junit(const Report&);
/// The tolerance report: the verdict first, then everything that cells and portraits hold, in one file without a script that fetches nothing.
/// What is not the same in two runs of one command (seconds) stands in the section "Environment" alone.
std::string to_html(const Report&);

/// Writes beside the target and renames, so that nobody meets half a file. Throws BadInput naming the path.
void write_file(const std::string& path, const std::string& contents);
/// A file that a command is to write, and the option that named it.
struct Output {
  const char* option;
  std::string path;   // empty: not asked for
};
/// Throws BadInput before any work is spent: for a path that cannot be written, for two outputs that are one file, and for one that would
/// overwrite a file that the command reads.
void check_outputs(const std::vector<Output>&, const std::vector<std::string>& inputs = {});

}  // namespace assay::report
