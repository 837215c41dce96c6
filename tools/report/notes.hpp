// What is said of subjects that declare no arithmetic although their contract could round.
#pragma once
#include <string>
#include <vector>

#include "properties/cell.hpp"

namespace assay::report {

/// Before and after the laws that could not check it.
struct Undeclared {
  std::string subject, assumed, advice;
};

/// A note for each, with those laws of its cells that say less, or nothing.
std::vector<std::string> notes_on(const std::vector<Undeclared>&, const std::vector<properties::Cell>&);

}  // namespace assay::report
