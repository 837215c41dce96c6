// What the laws that look at all elements together found of each subject, one row each, for terminal and page.
#pragma once
#include <string>
#include <vector>

#include "properties/check.hpp"

namespace assay::report {

struct Statistics {
  std::vector<std::string> heading;
  std::vector<std::vector<std::string>> rows;  // "-" where the law did not run; no rows: none of them ran
  std::vector<std::string> legend;             // what the heads stand for, a line for each law
};

Statistics statistics_of(const std::vector<properties::Cell>&);

}  // namespace assay::report
