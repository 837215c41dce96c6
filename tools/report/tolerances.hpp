// The tolerance table, ready to be shown.
#pragma once
#include <string>
#include <vector>

#include "properties/tolerance.hpp"

namespace assay::report {

struct ToleranceReport {
  std::string suite;
  std::string measured_on;   // a card or the emulator; empty: nothing was run
  std::vector<properties::Tolerance> rows;
};

/// A table for each contract, with what the columns mean and how to make it again.
std::string to_markdown(const ToleranceReport&);
std::string to_json(const ToleranceReport&);

}  // namespace assay::report
