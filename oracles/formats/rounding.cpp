#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "oracles/formats/format.hpp"
#include "oracles/formats/layout.hpp"

namespace assay {

using namespace formats_detail;

namespace {

// value = (kept + half/2 + something below half if `rest`) * 2^unit
struct Cut {
  uint64_t kept;
  bool half, rest;
};

Cut cut(const Exact& x, int64_t unit) {
  const int64_t shift = unit - x.exponent;
  if (x.sticky && shift < 1) throw std::invalid_argument("an Exact with a sticky bit has too few bits to round");
  if (shift <= 0) return {x.significand << -shift, false, false};
  if (shift > 64) return {0, false, true};
  const uint64_t half = uint64_t{1} << (shift - 1);
  return {shift == 64 ? 0 : x.significand >> shift, (x.significand & half) != 0, x.sticky || (x.significand & (half - 1)) != 0};
}

// The nearest magnitude of a floating-point format, as bits; anything above the largest finite means overflow.
uint64_t round_magnitude(const FormatInfo& f, const Exact& x) {
  const int64_t smallest = f.has_zero ? 1 - f.bias : -f.bias, lead = std::max(floor_log2(x), smallest);
  const Cut c = cut(x, lead - f.fraction_bits);
  if (!f.has_zero && c.kept == 0) return 0;
  const uint64_t below = c.kept + (uint64_t(lead - smallest) << f.fraction_bits) - (f.has_zero ? 0 : 1);
  return below + (c.half & (c.rest | (below & 1)));
}

uint64_t finish(const FormatInfo& f, bool negative, uint64_t magnitude, Overflow overflow) {
  const Layout& l = layout(f.format);
  if (magnitude > l.largest) {
    if (overflow == Overflow::to_infinity && !f.has_infinity) return l.magnitude_bits;
    magnitude = l.largest + (overflow == Overflow::to_infinity);
  }
  return magnitude | (negative ? l.sign_bit : 0);
}

uint64_t integer_code(Format format, bool negative, uint64_t magnitude, bool fits, Overflow overflow) {
  const Layout& l = layout(format);
  const uint64_t limit = negative ? l.base : l.largest;
  if (!fits || magnitude > limit) {
    if (overflow == Overflow::to_infinity) no_code(format, negative ? "a value below its range" : "a value above its range");
    magnitude = limit;
  }
  return ((negative ? -magnitude : magnitude) + l.base) ^ l.flip;
}

uint64_t encode_integer(Format format, const Exact& x, Overflow overflow) {
  if (floor_log2(x) >= 64) return integer_code(format, x.negative, 0, false, overflow);
  const Cut c = cut(x, 0);
  return integer_code(format, x.negative, c.kept + (c.half & (c.rest | (c.kept & 1))), true, overflow);
}

uint64_t encode_special(Format format, double value, Overflow overflow) {
  const FormatInfo& f = info_of(format);
  if (value != value) return canonical_nan(format);
  if (value < 0 && f.floating && !f.has_sign) no_code(format, "negative infinity");
  if (!f.floating) return integer_code(format, value < 0, 0, false, overflow);
  return finish(f, value < 0, layout(format).magnitude_bits, overflow);
}

}  // namespace

Exact exact(double value) {
  const uint64_t bits = std::bit_cast<uint64_t>(value), fraction = bits & low_bits(kDoubleFraction);
  const int field = static_cast<int>(bits >> kDoubleFraction & 0x7FF);
  if (field == 0x7FF) throw std::domain_error(fmt::format("{} is not a finite number", value));
  const uint64_t leading = field != 0 ? uint64_t{1} << kDoubleFraction : 0;
  return {(bits & kDoubleSign) != 0, leading | fraction, std::max(field, 1) - kDoubleBias - kDoubleFraction, false};
}

uint64_t encode(Format format, const Exact& x, Overflow overflow) {
  const FormatInfo& f = info_of(format);
  const bool zero = x.significand == 0 && !x.sticky;
  if (f.floating && !f.has_zero && (zero || x.negative)) no_code(format, zero ? "zero" : "a negative value");
  if (zero) return f.floating ? (x.negative ? layout(format).sign_bit : 0) : integer_code(format, false, 0, true, overflow);
  return f.floating ? finish(f, x.negative, round_magnitude(f, x), overflow) : encode_integer(format, x, overflow);
}

uint64_t encode(Format format, double value, Overflow overflow) {
  const FormatInfo& f = info_of(format);
  const Layout& l = layout(format);
  const uint64_t bits = std::bit_cast<uint64_t>(value), magnitude = bits & ~kDoubleSign;
  if (magnitude - l.direct_from < l.direct_count) [[likely]] {
    const int shift = kDoubleFraction - f.fraction_bits;
    const uint64_t odd = magnitude >> shift & 1, rounded = (magnitude + (uint64_t{1} << (shift - 1)) - 1 + odd) >> shift;
    return (rounded - (uint64_t(kDoubleBias - f.bias) << f.fraction_bits)) | (bits >> 63 << (f.bits - 1));
  }
  if (magnitude >= kDoubleInfinity) return encode_special(format, value, overflow);
  return encode(format, exact(value), overflow);
}

}  // namespace assay
