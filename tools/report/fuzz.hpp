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
  DeviceDescription device{};
  std::string version{};                            // of this program
  std::vector<properties::Portrait> portraits{};    // of the subjects, where a page was asked for
};

/// "k: 8n middle, odd" of the parameters on whose bucket a finding depends; "everywhere" if there are none.
std::string region_text(const properties::Finding&);

/// The verdict, the laws, the findings with where they fail and how to see them again, and what was covered.
std::string to_text(const FuzzReport&, bool colour);
std::string to_json(const FuzzReport&);
/// The tolerance report: findings by law and region, what was covered, then subjects in depth as for a check. Seconds stand in the section
/// "Environment" alone.
std::string to_html(const FuzzReport&);

}  // namespace assay::report
