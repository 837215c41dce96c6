// Drawings of a page as inline SVG, 360 wide: readable as they are on a phone, and several beside each other on a desk.
#pragma once
#include "properties/portrait/failing_map.hpp"
#include "properties/portrait/ladder.hpp"
#include "tools/report/markup.hpp"

namespace assay::report {

/// Elements by share, logarithmic, with their counts.
Html histogram(const Shares&, std::string_view caption);

/// Rows downwards, columns to the right; the darker, the more of a cell's elements are wrong.
Html map_of(const properties::FailingMap&);
/// The shares of an axis as a strip.
Html strip_of(const properties::FailingAxis&);

/// Points over k, both logarithmic; what is not above 0 is left out.
struct Curve {
  std::string_view kind;  // "found", "expected" or "bound": how it is drawn
  std::vector<std::pair<double, double>> points;
};
Html curves(const std::vector<Curve>&, std::string_view caption);

/// 950, 12.3k, 4.1M
std::string short_count(uint64_t);

}  // namespace assay::report
