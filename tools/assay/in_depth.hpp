// Subjects in depth, for a page of HTML: kernels run once more, of isolated ones those that survived it in a process of their own.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "properties/crew/crew.hpp"
#include "properties/portrait.hpp"

namespace assay::tools {

/// With limits: each is looked at in a child process first, one that dies or gives no answer there is left out with a note, and what the
/// others print goes nowhere.
std::vector<properties::Portrait> in_depth(const std::vector<const Subject*>&, const std::vector<properties::Cell>&,
                                           const std::vector<Case>&, const BenchSettings&, const std::optional<properties::Limits>&,
                                           std::vector<std::string>& notes);

}  // namespace assay::tools
