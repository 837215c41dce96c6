// lg2.approx over the mantissas of some exponents: what is measured of it, and the differences' reference.
#pragma once

#include <cmath>
#include <string>

#include "kernels/simt/math/expansion.hpp"

namespace simt::measure {

// 0 and -1 show the mantissa's part finest (and the cancellation near 1); the others how the exponent is added and rounded.
constexpr int kLg2Exponents[] = {0, -1, 1, -2, 2, -3, 3, 7, -8, 31, -64, 127, -126};

inline std::string lg2_name(int exponent) {
  return std::string("lg2_exponent_") + (exponent < 0 ? "minus_" : "") + std::to_string(exponent < 0 ? -exponent : exponent);
}

// [2^exponent, 2^(exponent + 1))
inline Domain lg2_domain(int exponent) {
  const auto first = static_cast<std::uint32_t>(127 + exponent) << 23;
  return {.name = "lg2", .first = first, .entries = 1u << 23, .exact = [](double x) { return std::log2(x); }, .width = 4};
}

}  // namespace simt::measure
