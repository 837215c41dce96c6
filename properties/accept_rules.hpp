// What the accept rules of other projects' test suites would say of an output: the yardstick beside which laws are shown. Each looks at
// outputs and expected values alone, as it does there; limits are those of the projects' tests, as their sources had them in 2026.
#pragma once
#include <functional>
#include <span>
#include <string_view>

#include "oracles/formats/format.hpp"

namespace assay::properties {

/// One element of an output.
struct Compared {
  double found = 0;
  double expected = 0;    // the exact value, rounded to the output's format as those suites have it
  double exact = 0;
  double magnitude = 0;   // sum of the magnitudes of its terms; of itself where nothing is summed
};

struct AcceptRule {
  std::string_view name;     // "vLLM mean 0.04"
  std::string_view says;     // the formula
  std::function<bool(std::span<const Compared>, Format)> accepts;
};

std::span<const AcceptRule> accept_rules();

}  // namespace assay::properties
