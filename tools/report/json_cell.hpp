// A cell of the matrix as JSON, for reports that hold some.
#pragma once
#include <nlohmann/json.hpp>

#include "properties/cell.hpp"

namespace assay::report {

nlohmann::ordered_json cell_json(const properties::Cell&);

}  // namespace assay::report
