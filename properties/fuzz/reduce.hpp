// Shrinks the contents of operands: as few elements as can be that differ from the simplest there is.
#pragma once
#include <optional>

#include "fixtures/law.hpp"

namespace assay::properties {

// Tries of one reduction: some two hundred elements, each by itself and in halves. In a fuzzer they are one task, whose process must answer
// in time.
inline constexpr int kReductions = 500;

// Elements of operands beyond which contents are not reduced: what is left of so many would be no smaller to look at.
inline constexpr int64_t kReducible = 1 << 14;

struct Reduced {
  Tensors operands;
  Verdict verdict;  // on these
};

/// Operands under which the law fails as it does on those that the bench has for the case (kind_of_failure), after at most `tries` tries. Elements become 0, scales
/// 1, packed codes their middle; indices stay. No tensor counts as one of random signs, since what is chosen by what it does to a law is
/// not random; nothing if the law fails only where it does.
std::optional<Reduced> reduce(Bench&, const Subject&, const Law&, const Case&, int tries);

}  // namespace assay::properties
