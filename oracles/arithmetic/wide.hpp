// The last word of every oracle: 100-digit binary floating point.
#pragma once
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "oracles/arithmetic/tracked.hpp"
#include "oracles/contract.hpp"

namespace assay {

using Wide = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<100>, boost::multiprecision::et_off>;

/// The interval that a bound allows around a wide value, ready to be rounded once. The bound's total is inflated by 2^-40 (tracked.hpp).
inline Decided decided(const Tracked<Wide>& x) {
  const Wide e = Wide(x.bound.total()) * (1 + Wide(0x1p-40));
  return {exact_of(Wide(x.value - e)), exact_of(Wide(x.value + e)), static_cast<double>(x.value), x.bound};
}

inline Expected expected(const Tracked<double>& x) { return {x.value, x.radius, x.bound}; }

}  // namespace assay
