// What a fuzzing run found, ready to be shown.
#pragma once
#include "properties/fuzz.hpp"
#include "tools/report/report.hpp"

namespace assay::report {

struct FuzzReport {
  uint64_t seed = 0;
  std::string backend;
  int jobs = 1;
  std::string journal, image;  // empty: none
  properties::Fuzzed fuzzed;
  std::vector<std::string> files;  // by finding: its reproducer with contents; empty: none
};

/// "k: 8n middle, odd" of the parameters on whose bucket a finding depends; "everywhere" if there are none.
std::string region_text(const properties::Finding&);

/// The verdict, the laws, the findings with where they fail and how to see them again, and what was covered.
std::string to_text(const FuzzReport&, bool colour);
std::string to_json(const FuzzReport&);

}  // namespace assay::report
