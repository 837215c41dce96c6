// Searches for a failing case and shrinks it, with RapidCheck. The only file that knows RapidCheck.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "properties/generators/cases.hpp"

namespace assay::properties {

/// Why a case fails, or nothing.
using Failure = std::function<std::optional<std::string>(const Case&)>;

struct Found {
  Case first, smallest;
  std::string why;      // of the smallest
  int shrinks_tried = 0;
};

struct Search {
  uint64_t seed = 1;
  int cases = 100;
  double multiply_adds = 1e6;      // of one drawn case
  double seconds_to_shrink = 20;   // then the smallest so far is taken
  Wanted wanted{};                 // of drawn cases
};

/// Draws cases of the contract until one fails, and shrinks it. Nothing if all hold.
std::optional<Found> find_failure(const Contract&, const Search&, const Failure&);

/// Shrinks a case that fails.
Found shrink(const Case&, double seconds, const Failure&);

}  // namespace assay::properties
