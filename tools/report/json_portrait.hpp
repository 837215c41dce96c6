// A subject in depth as JSON: everything that the page shows of it.
#pragma once
#include <nlohmann/json.hpp>

#include "properties/portrait.hpp"

namespace assay::report {

nlohmann::ordered_json shares_json(const Shares&);
nlohmann::ordered_json portrait_json(const properties::Portrait&);

}  // namespace assay::report
