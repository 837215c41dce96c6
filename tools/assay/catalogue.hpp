// What there is, as text: what `assay list` prints.
#pragma once
#include <string>

#include "oracles/contract.hpp"

namespace assay::tools {

/// Contracts and their subjects, laws, terms of bounds, suites and fills.
std::string overview();

/// Parameters, what may be declared, subjects with their arithmetic.
std::string description(const Contract&);

/// The contract of that name, or the one that the subject of that name implements. Throws BadInput.
const Contract& contract_about(const std::string& name);

}  // namespace assay::tools
