#include "oracles/formats/layout.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace assay::formats_detail {
namespace {

constexpr uint64_t magnitude_bits(const FormatInfo& f) { return low_bits(f.exponent_bits + f.fraction_bits); }
constexpr uint64_t largest_finite(const FormatInfo& f) {
  return f.has_infinity ? magnitude_bits(f) - low_bits(f.fraction_bits) - 1 : magnitude_bits(f) - 1;
}

constexpr FormatInfo floating(Format format, std::string_view name, int exponent_bits, int fraction_bits, int bias, bool has_infinity) {
  FormatInfo f{format, name, 1 + exponent_bits + fraction_bits, exponent_bits, fraction_bits, bias, true, has_infinity, true, true, true};
  f.min_normal = power_of_two(1 - bias);
  f.min_subnormal = power_of_two(1 - bias - fraction_bits);
  f.max_finite = decode_magnitude(f, largest_finite(f));
  return f;
}

constexpr FormatInfo exponent_only(Format format, std::string_view name, int exponent_bits, int bias) {
  FormatInfo f{format, name, exponent_bits, exponent_bits, 0, bias, true, false, true, false, false};
  f.min_normal = f.min_subnormal = power_of_two(-bias);
  f.max_finite = decode_magnitude(f, largest_finite(f));
  return f;
}

constexpr FormatInfo integer(Format format, std::string_view name, int bits, bool has_sign, double largest) {
  return {format, name, bits, 0, 0, 0, false, false, false, has_sign, true, largest, 1, 1};
}

constexpr std::array<FormatInfo, kFormats> kTable = {
    floating(Format::fp32, "fp32", 8, 23, 127, true),
    floating(Format::bf16, "bf16", 8, 7, 127, true),
    floating(Format::fp16, "fp16", 5, 10, 15, true),
    floating(Format::e4m3fn, "e4m3fn", 4, 3, 7, false),
    floating(Format::e5m2, "e5m2", 5, 2, 15, true),
    exponent_only(Format::ue8m0, "ue8m0", 8, 127),
    integer(Format::int8, "int8", 8, true, 127),
    integer(Format::u4b8, "u4b8", 4, true, 7),
    integer(Format::u4, "u4", 4, false, 15),
    integer(Format::int32, "int32", 32, true, 2147483647),
    integer(Format::int64, "int64", 64, true, 9223372036854774784.0),
};

constexpr Layout derive(const FormatInfo& f) {
  Layout d{.code_bits = low_bits(f.bits)};
  if (f.floating) {
    d.magnitude_bits = magnitude_bits(f);
    d.sign_bit = d.code_bits ^ d.magnitude_bits;
    d.largest = largest_finite(f);
    d.direct_from = std::bit_cast<uint64_t>(f.min_normal);
    d.direct_count = f.has_sign ? std::bit_cast<uint64_t>(f.max_finite) + 1 - d.direct_from : 0;
  } else {
    d.base = f.has_sign ? uint64_t{1} << (f.bits - 1) : 0;
    d.flip = f.format == Format::u4b8 ? 0 : d.base;
    d.largest = d.code_bits - d.base;
  }
  return d;
}

constexpr auto kDerived = [] {
  std::array<Layout, kFormats> all{};
  for (int i = 0; i < kFormats; ++i) all[i] = derive(kTable[i]);
  return all;
}();

}  // namespace

constinit const std::array<FormatInfo, kFormats> kInfo = kTable;
constinit const std::array<Layout, kFormats> kLayout = kDerived;

void no_code(Format format, std::string_view value) {
  throw std::domain_error(fmt::format("{} has no code for {}", info_of(format).name, value));
}

}  // namespace assay::formats_detail
