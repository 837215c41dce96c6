// What a subject's error does over k, and what an allclose would have to allow it.
#pragma once
#include "properties/portrait.hpp"
#include "tools/report/markup.hpp"

namespace assay::report {

Html growth_with_k(const properties::Ladder&);
Html suggested_tolerance(const properties::Portrait&);

}  // namespace assay::report
