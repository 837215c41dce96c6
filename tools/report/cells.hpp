// Cells of the matrix in words.
#pragma once
#include <string>
#include <vector>

#include "properties/check.hpp"

namespace assay::report {

/// Names of one member of the cells, each once, in their order.
std::vector<std::string> in_order(const std::vector<properties::Cell>&, std::string properties::Cell::*member);
/// Null where there is none.
const properties::Cell* cell_at(const std::vector<properties::Cell>&, const std::string& subject, const std::string& law);

/// A law that says nothing about any of the subject's cases.
bool is_empty(const properties::Cell&);
/// "pass 41" cases, "FAIL at 3": the third case failed, "known 2" failures, "skip"; "-" where there was nothing to check.
std::string outcome_text(const properties::Cell&);
/// Of the cell of law `conforms`, null where it did not run: "0.308 underflow", "99.9509 %".
std::string share_text(const properties::Cell*);
std::string legal_text(const properties::Cell*);

}  // namespace assay::report
