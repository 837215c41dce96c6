// The summary of the exact reference that goes into a record.
#pragma once
#include <map>

#include "fixtures/bench/bench.hpp"
#include "golden/record.hpp"

namespace assay::golden {

/// Of each output that a step judges, by its name. `before`: the case's operands. Elements are evaluated one by one, on one core.
std::map<std::string, Reference> references(const Bench&, const Subject&, const Case&, const Tensors& before, const Run&);

}  // namespace assay::golden
