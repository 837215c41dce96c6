// Within the formats only: what decoding, ranking and rounding look up, worked out once from the table of formats.
#pragma once
#include <array>
#include <bit>
#include <string_view>

#include "oracles/formats/format.hpp"

namespace assay::formats_detail {

inline constexpr int kDoubleFraction = 52, kDoubleBias = 1023;
inline constexpr uint64_t kDoubleSign = uint64_t{1} << 63, kDoubleInfinity = uint64_t{0x7FF} << kDoubleFraction;

constexpr uint64_t low_bits(int count) { return count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1; }
constexpr double power_of_two(int exponent) {  // -1022 to 1023
  return std::bit_cast<double>(uint64_t(exponent + kDoubleBias) << kDoubleFraction);
}
constexpr int64_t floor_log2(const Exact& x) { return std::bit_width(x.significand) - 1 + int64_t{x.exponent}; }  // significand > 0

/// Magnitude: a floating-point code without its sign. Magnitudes order as values, and the one after the largest finite is infinity, or
/// NaN where there is none. An integer's value is (code ^ flip) - base: two's complement flips its top bit.
struct Layout {
  uint64_t code_bits, magnitude_bits, sign_bit;
  uint64_t largest;  // magnitude of the largest finite value; for integers the largest value
  uint64_t flip, base;
  uint64_t direct_from, direct_count;  // doubles, as bits without sign, that become a normal number and cannot overflow
};

constexpr double decode_magnitude(const FormatInfo& f, uint64_t magnitude) {
  if (f.has_zero && magnitude >> f.fraction_bits == 0) return static_cast<double>(magnitude) * f.min_subnormal;
  return std::bit_cast<double>((magnitude << (kDoubleFraction - f.fraction_bits)) + (uint64_t(kDoubleBias - f.bias) << kDoubleFraction));
}

extern const std::array<FormatInfo, kFormats> kInfo;
extern const std::array<Layout, kFormats> kLayout;

inline const FormatInfo& info_of(Format format) { return kInfo[static_cast<size_t>(format)]; }
inline const Layout& layout(Format format) { return kLayout[static_cast<size_t>(format)]; }

[[noreturn]] void no_code(Format, std::string_view value);  // std::domain_error

}  // namespace assay::formats_detail
