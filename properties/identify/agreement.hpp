// A declaration beside what the bits say: the same, wider than need be, or contradicted.
#pragma once
#include "properties/identify/sieve.hpp"

namespace assay::properties {

struct Comparison {
  std::vector<std::string> contradicted;  // a line each
  bool wider = false;                     // a sum is declared deeper, a function less accurate, or roundings are more than were found
};

/// Dot products whose order is declared are left to who can replay them.
Comparison compared(const Arithmetic& declared, const Candidate& found);

}  // namespace assay::properties
