// What the commands `assay golden ...` share: the folder of records, counting outcomes by subject, and showing them.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "fixtures/subject.hpp"
#include "fixtures/verdict.hpp"

namespace assay::tools {

struct GoldenOptions;

/// The folder that --records names, or the standard one. BadInput if there is none.
std::filesystem::path golden_folder(const GoldenOptions&);

/// What became of the cases of one subject.
struct Outcomes {
  int passed = 0, failed = 0, untrusted = 0, skipped = 0;
  int within = 0;  // other bits where they may be, within their bounds
  uint64_t elements = 0;
  std::map<std::string, int> reasons;  // of skips and untrusted ones
  std::vector<std::string> failures;   // printable, with their reproducers

  void add(const Verdict&, bool within_bounds = false);
};
using Matrix = std::map<std::string, Outcomes>;  // by subject

/// A line for each subject, then failures and reasons. `done` says what became of the cases that are neither failed nor unchecked.
void print(const Matrix&, const char* done);

/// 0, 1 after a failure, 3 where nothing was checked or part of it proves too little. Bits that differ as they may are checked: by bounds.
int exit_code(const Matrix&);

}  // namespace assay::tools
