// What a caller of the library asks for, as a plan that `assay check` would follow.
#pragma once
#include "properties/check.hpp"
#include "properties/fuzz.hpp"

struct assay_request;

namespace assay::tools {

/// The plan for a subject that is not in the registry. Parameters that are to be fixed are so in every case, and the subject is made to
/// refuse others, so that shrinking keeps to them. Where operands are given, `note` says what they were taken for. Throws BadInput.
properties::Plan plan_of(const assay_request&, Subject&, std::string& note);

properties::FuzzPlan fuzz_plan_of(const assay_request&, const Subject&, Backend);

}  // namespace assay::tools
