// What an identification found, ready to be shown.
#pragma once
#include <string>
#include <vector>

#include "properties/identify/identify.hpp"

namespace assay::report {

/// 0: every shape's arithmetic was found and agrees with what is declared. 1: no candidate reproduces some shape, or the declaration is
/// contradicted.
int exit_code(const std::vector<properties::Identification>&);

/// By shape: what may be declared, each dimension with what spoke for and against its choices, and how the declaration compares.
std::string to_text(const std::string& subject, const std::vector<properties::Identification>&);
std::string to_json(const std::string& subject, const std::vector<properties::Identification>&);

}  // namespace assay::report
