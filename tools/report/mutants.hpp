// What became of the mutants, ready to be shown.
#pragma once
#include <string>
#include <vector>

#include "properties/trial.hpp"

namespace assay::report {

/// 0: every fault killed and nothing harmless accused. 1: not so. 2: one of them could not be used. 3: nothing was tried.
int exit_code(const std::vector<properties::Trial>&);

int64_t count(const std::vector<properties::Trial>&, properties::Fate);
/// Of the killed ones, from the first case to the one that showed the fault.
double median_seconds(const std::vector<properties::Trial>&);

std::string to_text(const std::vector<properties::Trial>&);
/// Without times, so that a committed page stays what it is.
std::string to_markdown(const std::vector<properties::Trial>&);
std::string to_json(const std::vector<properties::Trial>&);

}  // namespace assay::report
