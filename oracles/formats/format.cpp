#include "oracles/formats/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <stdexcept>

namespace assay {
namespace {

constexpr int kDoubleFraction = 52, kDoubleBias = 1023;
constexpr uint64_t kSign = uint64_t{1} << 63, kDoubleInfinity = uint64_t{0x7FF} << kDoubleFraction;

constexpr uint64_t low_bits(int count) { return count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1; }
constexpr double power_of_two(int exponent) { return std::bit_cast<double>(uint64_t(exponent + kDoubleBias) << kDoubleFraction); }

// The bits of a code without its sign; as a number they order the magnitudes, and the one after the largest finite is infinity or NaN.
constexpr uint64_t magnitude_bits(const FormatInfo& f) { return low_bits(f.exponent_bits + f.fraction_bits); }
constexpr uint64_t largest_finite(const FormatInfo& f) {
  return f.has_infinity ? magnitude_bits(f) - low_bits(f.fraction_bits) - 1 : magnitude_bits(f) - 1;
}
constexpr double decode_magnitude(const FormatInfo& f, uint64_t magnitude) {
  if (f.has_zero && magnitude >> f.fraction_bits == 0) return static_cast<double>(magnitude) * f.min_subnormal;
  return std::bit_cast<double>((magnitude << (kDoubleFraction - f.fraction_bits)) + (uint64_t(kDoubleBias - f.bias) << kDoubleFraction));
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

constexpr std::array<FormatInfo, kFormats> kInfo = {
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

// What encode and rank look up, worked out once. An integer's value is (code ^ flip) - base: two's complement flips its top bit.
struct Derived {
  uint64_t code_bits, magnitude_bits, sign, largest;
  uint64_t flip, base;
  uint64_t direct_from, direct_count;   // doubles, as bits without sign, that become a normal number and cannot overflow
};

constexpr Derived derive(const FormatInfo& f) {
  Derived d{.code_bits = low_bits(f.bits)};
  if (f.floating) {
    d.magnitude_bits = magnitude_bits(f);
    d.sign = d.code_bits ^ d.magnitude_bits;
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
  std::array<Derived, kFormats> all{};
  for (int i = 0; i < kFormats; ++i) all[i] = derive(kInfo[i]);
  return all;
}();

const Derived& derived(Format format) { return kDerived[static_cast<size_t>(format)]; }

[[noreturn]] void no_code(Format format, std::string_view value) {
  throw std::domain_error(fmt::format("{} has no code for {}", info(format).name, value));
}

void check_code(Format format, uint64_t code) {
  const uint64_t last = derived(format).code_bits;
  if (code & ~last) throw std::out_of_range(fmt::format("codes of {} are 0 to {:#x}, not {:#x}", info(format).name, last, code));
}

// value = (kept + half/2 + something below half if `rest`) * 2^unit
struct Cut {
  uint64_t kept;
  bool half, rest;
};

Cut cut(const Exact& x, int64_t unit) {
  const int64_t shift = unit - x.exponent;
  if (x.sticky && (shift < 1 || x.significand == 0)) throw std::invalid_argument("an Exact with a sticky bit has too few bits to round");
  if (shift <= 0) return {x.significand << -shift, false, false};
  if (shift > 64) return {0, false, true};
  const uint64_t half = uint64_t{1} << (shift - 1);
  return {shift == 64 ? 0 : x.significand >> shift, (x.significand & half) != 0, x.sticky || (x.significand & (half - 1))};
}

int64_t floor_log2(const Exact& x) { return std::bit_width(x.significand) - 1 + int64_t{x.exponent}; }

// The nearest magnitude of a floating-point format, as bits; anything above the largest finite means overflow.
uint64_t round_magnitude(const FormatInfo& f, const Exact& x) {
  const int64_t smallest = f.has_zero ? 1 - f.bias : -f.bias, lead = std::max(floor_log2(x), smallest);
  if (lead > int64_t{1} << f.exponent_bits) return derived(f.format).magnitude_bits;
  const Cut c = cut(x, lead - f.fraction_bits);
  if (!f.has_zero && c.kept == 0) return 0;
  const uint64_t below = c.kept + (uint64_t(lead - smallest) << f.fraction_bits) - (f.has_zero ? 0 : 1);
  return below + (c.half && (c.rest || below & 1));
}

uint64_t finish(const FormatInfo& f, bool negative, uint64_t magnitude, Overflow overflow) {
  const Derived& d = derived(f.format);
  if (magnitude > d.largest) {
    if (overflow == Overflow::to_infinity && !f.has_infinity) return d.magnitude_bits;
    magnitude = d.largest + (overflow == Overflow::to_infinity);
  }
  return magnitude | (negative ? d.sign : 0);
}

uint64_t integer_code(Format format, bool negative, uint64_t magnitude, bool fits, Overflow overflow) {
  const Derived& d = derived(format);
  const uint64_t limit = negative ? d.base : d.largest;
  if (!fits || magnitude > limit) {
    if (overflow == Overflow::to_infinity) no_code(format, negative ? "a value below its range" : "a value above its range");
    magnitude = limit;
  }
  return ((negative ? -magnitude : magnitude) + d.base) ^ d.flip;
}

uint64_t encode_integer(Format format, const Exact& x, Overflow overflow) {
  if (floor_log2(x) >= 64) return integer_code(format, x.negative, 0, false, overflow);
  const Cut c = cut(x, 0);
  return integer_code(format, x.negative, c.kept + (c.half && (c.rest || c.kept & 1)), true, overflow);
}

uint64_t encode_special(Format format, double value, Overflow overflow) {
  const FormatInfo& f = info(format);
  if (value != value) return canonical_nan(format);
  if (value < 0 && f.floating && !f.has_sign) no_code(format, "negative infinity");
  if (!f.floating) return integer_code(format, value < 0, 0, false, overflow);
  return finish(f, value < 0, derived(format).magnitude_bits, overflow);
}

}  // namespace

Exact exact(double value) {
  const uint64_t bits = std::bit_cast<uint64_t>(value), fraction = bits & low_bits(kDoubleFraction);
  const int field = static_cast<int>(bits >> kDoubleFraction & 0x7FF);
  if (field == 0x7FF) throw std::domain_error(fmt::format("{} is not a finite number", value));
  const uint64_t leading = field != 0 ? uint64_t{1} << kDoubleFraction : 0;
  return {(bits & kSign) != 0, leading | fraction, std::max(field, 1) - kDoubleBias - kDoubleFraction, false};
}

const FormatInfo& info(Format format) { return kInfo[static_cast<size_t>(format)]; }

std::span<const FormatInfo> formats() { return kInfo; }

std::optional<Format> format_named(std::string_view name) {
  for (const FormatInfo& f : kInfo)
    if (f.name == name) return f.format;
  return std::nullopt;
}

double decode(Format format, uint64_t code) {
  const FormatInfo& f = info(format);
  const Derived& d = derived(format);
  if (!f.floating) {
    const int64_t value = rank(format, code), most = int64_t{1} << 53;
    if (value > most || value < -most) throw std::domain_error(fmt::format("{} {} is not exact as a double", f.name, value));
    return static_cast<double>(value);
  }
  check_code(format, code);
  const uint64_t magnitude = code & d.magnitude_bits;
  if (magnitude > d.largest)
    return is_nan(format, code) ? std::numeric_limits<double>::quiet_NaN() : std::bit_cast<double>(kDoubleInfinity | (code & d.sign ? kSign : 0));
  const double value = decode_magnitude(f, magnitude);
  return code & d.sign ? -value : value;
}

uint64_t encode(Format format, const Exact& x, Overflow overflow) {
  const FormatInfo& f = info(format);
  const bool zero = x.significand == 0 && !x.sticky;
  if (f.floating && !f.has_zero && (zero || x.negative)) no_code(format, zero ? "zero" : "a negative value");
  if (zero) return f.floating ? (x.negative ? derived(format).sign : 0) : integer_code(format, false, 0, true, overflow);
  return f.floating ? finish(f, x.negative, round_magnitude(f, x), overflow) : encode_integer(format, x, overflow);
}

uint64_t encode(Format format, double value, Overflow overflow) {
  const FormatInfo& f = info(format);
  const Derived& d = derived(format);
  const uint64_t bits = std::bit_cast<uint64_t>(value), magnitude = bits & ~kSign;
  if (magnitude - d.direct_from < d.direct_count) [[likely]] {
    const int shift = kDoubleFraction - f.fraction_bits;
    const uint64_t odd = magnitude >> shift & 1, rounded = (magnitude + (uint64_t{1} << (shift - 1)) - 1 + odd) >> shift;
    return (rounded - (uint64_t(kDoubleBias - f.bias) << f.fraction_bits)) | (bits >> 63 << (f.bits - 1));
  }
  if (magnitude >= kDoubleInfinity) return encode_special(format, value, overflow);
  return encode(format, exact(value), overflow);
}

bool is_nan(Format format, uint64_t code) {
  check_code(format, code);
  const Derived& d = derived(format);
  return info(format).has_nan && (code & d.magnitude_bits) > d.largest + info(format).has_infinity;
}

bool is_infinite(Format format, uint64_t code) {
  check_code(format, code);
  const Derived& d = derived(format);
  return info(format).has_infinity && (code & d.magnitude_bits) == d.largest + 1;
}

uint64_t canonical_nan(Format format) {
  if (!info(format).has_nan) no_code(format, "NaN");
  return derived(format).magnitude_bits;
}

int64_t rank(Format format, uint64_t code) {
  const FormatInfo& f = info(format);
  const Derived& d = derived(format);
  check_code(format, code);
  if (!f.floating) return static_cast<int64_t>((code ^ d.flip) - d.base);
  if (is_nan(format, code)) throw std::domain_error(fmt::format("{} {:#x} is NaN and has no rank", f.name, code));
  const int64_t magnitude = static_cast<int64_t>(code & d.magnitude_bits);
  return code & d.sign ? -magnitude : magnitude;
}

int64_t highest_rank(Format format) { return static_cast<int64_t>(derived(format).largest + info(format).has_infinity); }

int64_t lowest_rank(Format format) {
  if (!info(format).floating) return static_cast<int64_t>(-derived(format).base);
  return info(format).has_sign ? -highest_rank(format) : 0;
}

uint64_t code_of_rank(Format format, int64_t rank) {
  const Derived& d = derived(format);
  if (rank < lowest_rank(format) || rank > highest_rank(format))
    throw std::out_of_range(fmt::format("{} has no value of rank {}", info(format).name, rank));
  if (!info(format).floating) return (static_cast<uint64_t>(rank) + d.base) ^ d.flip;
  return rank < 0 ? d.sign | static_cast<uint64_t>(-rank) : static_cast<uint64_t>(rank);
}

uint64_t next_up(Format format, uint64_t code) {
  const int64_t here = rank(format, code);
  if (here == highest_rank(format)) throw std::out_of_range(fmt::format("{} {:#x} is the highest value", info(format).name, code));
  return code_of_rank(format, here + 1);
}

uint64_t next_down(Format format, uint64_t code) {
  const int64_t here = rank(format, code);
  if (here == lowest_rank(format)) throw std::out_of_range(fmt::format("{} {:#x} is the lowest value", info(format).name, code));
  return code_of_rank(format, here - 1);
}

uint64_t code_count(Format format) {
  if (info(format).bits > 32) throw std::domain_error(fmt::format("the codes of {} are too many to count", info(format).name));
  return uint64_t{1} << info(format).bits;
}

double ulp(Format format, double value) {
  const FormatInfo& f = info(format);
  const Exact x = exact(value);
  if (!f.floating || x.significand == 0) return f.min_subnormal;
  const int64_t step = floor_log2(x) - f.fraction_bits;
  return std::max(f.min_subnormal, step < -1022 ? 0.0 : power_of_two(static_cast<int>(step)));
}

}  // namespace assay
