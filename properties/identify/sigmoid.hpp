// The ways to compute g / (1 + e^-g) in FP32.
#pragma once
#include <string>
#include <vector>

#include "oracles/arithmetic/arithmetic.hpp"

namespace assay::properties {

struct Silu {
  std::string exponential, division;  // in words
  float (*of)(float g);
};

/// Exponentials and divisions, crossed.
const std::vector<Silu>& silu_variants();

/// Adds the slots `exp`, `one_plus` and `divide` that a variant is declared by.
Arithmetic& declare(Arithmetic&, const Silu&);

}  // namespace assay::properties
