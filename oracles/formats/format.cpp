#include "oracles/formats/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>

#include "oracles/formats/layout.hpp"

namespace assay {

using namespace formats_detail;

namespace {

void check_code(Format format, uint64_t code) {
  const uint64_t last = layout(format).code_bits;
  if (code & ~last) throw std::out_of_range(fmt::format("codes of {} are 0 to {:#x}, not {:#x}", info_of(format).name, last, code));
}

}  // namespace

const FormatInfo& info(Format format) { return info_of(format); }

std::span<const FormatInfo> formats() { return kInfo; }

std::optional<Format> format_named(std::string_view name) {
  for (const FormatInfo& f : kInfo)
    if (f.name == name) return f.format;
  return std::nullopt;
}

double decode(Format format, uint64_t code) {
  const FormatInfo& f = info_of(format);
  const Layout& l = layout(format);
  if (!f.floating) {
    const int64_t value = rank(format, code), most = int64_t{1} << 53;
    if (value > most || value < -most) throw std::domain_error(fmt::format("{} {} is not exact as a double", f.name, value));
    return static_cast<double>(value);
  }
  if (is_nan(format, code)) return std::numeric_limits<double>::quiet_NaN();
  const uint64_t magnitude = code & l.magnitude_bits, sign = (code & l.sign_bit) << (64 - f.bits);
  const double value = magnitude > l.largest ? std::numeric_limits<double>::infinity() : decode_magnitude(f, magnitude);
  return std::bit_cast<double>(std::bit_cast<uint64_t>(value) | sign);
}

bool is_nan(Format format, uint64_t code) {
  check_code(format, code);
  const Layout& l = layout(format);
  return info_of(format).has_nan && (code & l.magnitude_bits) > l.largest + info_of(format).has_infinity;
}

bool is_infinite(Format format, uint64_t code) {
  check_code(format, code);
  const Layout& l = layout(format);
  return info_of(format).has_infinity && (code & l.magnitude_bits) == l.largest + 1;
}

uint64_t canonical_nan(Format format) {
  if (!info_of(format).has_nan) no_code(format, "NaN");
  return layout(format).magnitude_bits;
}

int64_t rank(Format format, uint64_t code) {
  const FormatInfo& f = info_of(format);
  const Layout& l = layout(format);
  check_code(format, code);
  if (!f.floating) return static_cast<int64_t>((code ^ l.flip) - l.base);
  if (is_nan(format, code)) throw std::domain_error(fmt::format("{} {:#x} is NaN and has no rank", f.name, code));
  const int64_t magnitude = static_cast<int64_t>(code & l.magnitude_bits), negative = (code & l.sign_bit) != 0;
  return (magnitude ^ -negative) + negative;
}

int64_t highest_rank(Format format) { return static_cast<int64_t>(layout(format).largest + info_of(format).has_infinity); }

int64_t lowest_rank(Format format) {
  if (!info_of(format).floating) return static_cast<int64_t>(-layout(format).base);
  return info_of(format).has_sign ? -highest_rank(format) : 0;
}

uint64_t code_of_rank(Format format, int64_t rank) {
  const Layout& l = layout(format);
  if (rank < lowest_rank(format) || rank > highest_rank(format))
    throw std::out_of_range(fmt::format("{} has no value of rank {}", info_of(format).name, rank));
  if (!info_of(format).floating) return (static_cast<uint64_t>(rank) + l.base) ^ l.flip;
  return rank < 0 ? l.sign_bit | static_cast<uint64_t>(-rank) : static_cast<uint64_t>(rank);
}

uint64_t next_up(Format format, uint64_t code) {
  const int64_t here = rank(format, code);
  if (here == highest_rank(format)) throw std::out_of_range(fmt::format("{} {:#x} is the highest value", info_of(format).name, code));
  return code_of_rank(format, here + 1);
}

uint64_t next_down(Format format, uint64_t code) {
  const int64_t here = rank(format, code);
  if (here == lowest_rank(format)) throw std::out_of_range(fmt::format("{} {:#x} is the lowest value", info_of(format).name, code));
  return code_of_rank(format, here - 1);
}

uint64_t code_count(Format format) {
  if (info_of(format).bits > 32) throw std::domain_error(fmt::format("the codes of {} are too many to count", info_of(format).name));
  return uint64_t{1} << info_of(format).bits;
}

double ulp(Format format, double value) {
  const FormatInfo& f = info_of(format);
  const Exact x = exact(value);
  if (!f.floating || (value < f.min_normal && -value < f.min_normal)) return f.min_subnormal;
  return power_of_two(static_cast<int>(floor_log2(x)) - f.fraction_bits);
}

}  // namespace assay
