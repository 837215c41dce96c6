// Shrinks the contents of operands: as few elements as can be that differ from the simplest there is.
#pragma once
#include <optional>

#include "fixtures/law.hpp"

namespace assay::properties {

struct Reduced {
  Tensors operands;
  Verdict verdict;  // on these
};

/// Operands of the case under which the law fails as it does now (kind_of_failure), after at most `tries` tries. Elements become 0, scales
/// 1, packed codes their middle; indices stay. No tensor counts as one of random signs, since what is chosen by what it does to a law is
/// not random; nothing if the law fails only where it does.
std::optional<Reduced> reduce(Bench&, const Subject&, const Law&, const Case&, int tries);

}  // namespace assay::properties
