// One element of D = A*B + C as a tensor core computes it: the scalar model, in integers, the same source for g++ and nvcc.
//
// The formula (s and e as in decode(), every value s * 2^(e - fraction bits)):
//   emax = the largest exponent of a product or of C, zeros not counted, at least zero_exponent
//   t_i  = the product or C, truncated toward zero to a multiple of 2^(emax - F)
//   D    = round(sum of the t_i)                      the sum is exact; the order of the terms does not matter
// Products are not normalised: the exponent of a product is the sum of its factors' exponents, and a subnormal factor counts with its
// format's least exponent. A NaN, Inf * 0, or Inf - Inf anywhere gives the one NaN 0x7fffffff (FP16: 0x7fff). An exact zero is +0.
#pragma once

#include "kernels/simt/tensor/parameters.hpp"

namespace simt::tensor {

constexpr std::uint32_t kNanFp32 = 0x7fffffff, kNanFp16 = 0x7fff;

// The value significand * 2^(exponent - fraction bits of the format).
struct Number {
  std::int64_t significand = 0;
  int exponent = 0;
  bool infinite = false;  // with the sign of the significand
  bool nan = false;
};

SIMT_BOTH constexpr Number decode(const Format& f, std::uint32_t code) {
  code >>= f.unused_bits;
  const std::uint32_t fraction = code & ((1u << f.fraction_bits) - 1), top = (1u << f.exponent_bits) - 1;
  const std::uint32_t biased = code >> f.fraction_bits & top;
  const bool negative = code >> (f.exponent_bits + f.fraction_bits) & 1;
  const bool special = biased == top && (f.has_infinity || fraction == (1u << f.fraction_bits) - 1);
  const std::int64_t magnitude = (biased && !(special && f.has_infinity) ? std::int64_t{1} << f.fraction_bits : 0) + fraction;
  Number x;
  x.nan = special && (!f.has_infinity || fraction);
  x.infinite = special && !x.nan;
  x.significand = x.infinite ? 1 : magnitude;
  if (negative) x.significand = -x.significand;
  x.exponent = biased ? static_cast<int>(biased) - f.bias() : f.min_exponent();
  return x;
}

// value * 2^shift toward zero. |value| < 2^26 and shift <= 27 wherever value is not 0: nothing overflows.
SIMT_BOTH constexpr std::int64_t scale_toward_zero(std::int64_t value, int shift) {
  if (value == 0) return 0;  // its shift may be anything
  if (shift >= 0) return value << shift;
  if (shift < -62) return 0;
  return value < 0 ? -(-value >> -shift) : value >> -shift;
}

SIMT_BOTH constexpr int highest_bit(std::uint64_t value) {
#ifdef __CUDA_ARCH__
  return 63 - __clzll(static_cast<long long>(value));
#else
  return 63 - __builtin_clzll(value);
#endif
}

// The code of value * 2^exponent in a format of `f` with only `kept` fraction bits; overflow gives Inf.
SIMT_BOTH constexpr std::uint32_t encode(const Format& f, int kept, bool to_nearest, std::int64_t value, int exponent) {
  if (value == 0) return 0;
  const std::uint32_t sign = value < 0 ? 1u << (f.bits() - 1) : 0;
  std::uint64_t magnitude = static_cast<std::uint64_t>(value < 0 ? -value : value);
  const int top = highest_bit(magnitude) + exponent;
  int last = (top > f.min_exponent() ? top : f.min_exponent()) - kept;  // the exponent of the last bit that is kept
  const int dropped = last - exponent;
  if (dropped > 62) return sign;
  if (dropped > 0) {
    const std::uint64_t rest = magnitude & ((std::uint64_t{1} << dropped) - 1), half = std::uint64_t{1} << (dropped - 1);
    magnitude >>= dropped;
    if (to_nearest && (rest > half || (rest == half && (magnitude & 1)))) ++magnitude;
  } else {
    magnitude <<= -dropped;
  }
  const int padding = f.fraction_bits - kept;
  const int biased = last + kept + f.bias();  // of a significand with its leading bit; a subnormal one lacks it
  const std::uint64_t code = (static_cast<std::uint64_t>(biased - 1) << f.fraction_bits) + (magnitude << padding);  // a carry moves up
  const std::uint64_t infinity = ((std::uint64_t{1} << f.exponent_bits) - 1) << f.fraction_bits;
  return sign | static_cast<std::uint32_t>(code < infinity ? code : infinity);
}

SIMT_BOTH constexpr std::uint32_t round_sum(Rounding rounding, std::int64_t sum, int exponent) {
  switch (rounding) {
    case Rounding::fp32_toward_zero: return encode(format(Accumulator::fp32), 23, false, sum, exponent);
    case Rounding::e8m13_toward_zero: return encode(format(Accumulator::fp32), 13, false, sum, exponent);
    case Rounding::fp16_to_nearest: {
      // A sum that rounds to nothing is +0, whatever its sign: 1.4 * 10^5 of 2.5 * 10^8 corner cases on an H200, mma.sync and wgmma alike.
      const std::uint32_t code = encode(format(Accumulator::fp16), 10, true, sum, exponent);
      return code == 0x8000u ? 0 : code;
    }
  }
  return 0;
}

// What the special operands of a sum make of it.
struct Specials {
  bool nan = false, positive = false, negative = false;

  SIMT_BOTH constexpr void add(const Number& x) {
    nan |= x.nan;
    if (x.infinite) (x.significand < 0 ? negative : positive) = true;
  }
  SIMT_BOTH constexpr void add_product(const Number& x, const Number& y) {
    if (!x.infinite && !y.infinite && !x.nan && !y.nan) return;
    nan |= x.nan || y.nan || x.significand == 0 || y.significand == 0;
    ((x.significand < 0) != (y.significand < 0) ? negative : positive) = true;
  }
  SIMT_BOTH constexpr bool any() const { return nan || positive || negative; }
  SIMT_BOTH constexpr std::uint32_t code(Accumulator accumulator) const {
    const bool wide = accumulator == Accumulator::fp32;
    if (nan || (positive && negative)) return wide ? kNanFp32 : kNanFp16;
    return (wide ? 0x7f800000u : 0x7c00u) | (negative ? (wide ? 0x80000000u : 0x8000u) : 0);
  }
};

// One fused sum of p.terms products and c. a and b are called with 0 .. p.terms - 1 and return codes of the format `in`.
template <class A, class B>
SIMT_BOTH std::uint32_t fused_sum(const Parameters& p, const Format& in, A a, B b, std::uint32_t c) {
  const Format out = format(p.accumulator);
  Specials specials;
  const Number addend = decode(out, c);
  specials.add(addend);
  int emax = p.zero_exponent;
  if (addend.significand && addend.exponent > emax) emax = addend.exponent;
  for (int i = 0; i < p.terms; ++i) {
    const Number x = decode(in, a(i)), y = decode(in, b(i));
    specials.add_product(x, y);
    if (x.significand && y.significand && x.exponent + y.exponent > emax) emax = x.exponent + y.exponent;
  }
  if (specials.any()) return specials.code(p.accumulator);

  std::int64_t sum = scale_toward_zero(addend.significand, addend.exponent - out.fraction_bits - emax + p.fraction);
  for (int i = 0; i < p.terms; ++i) {
    const Number x = decode(in, a(i)), y = decode(in, b(i));
    sum += scale_toward_zero(x.significand * y.significand, x.exponent + y.exponent - 2 * in.fraction_bits - emax + p.fraction);
  }
  return round_sum(p.rounding, sum, emax - p.fraction);
}

// x + y rounded to nearest even, as the CUDA cores add two accumulators; NaN is the one NaN.
SIMT_BOTH std::uint32_t add_to_nearest(Accumulator accumulator, std::uint32_t x, std::uint32_t y) {
  const Format f = format(accumulator);
  const Number a = decode(f, x), b = decode(f, y);
  Specials specials;
  specials.add(a);
  specials.add(b);
  if (specials.any()) return specials.code(accumulator);
  if (a.significand == 0 && b.significand == 0) return x & y;  // -0 only from two of them
  if (a.significand == 0) return y;
  if (b.significand == 0) return x;
  const Number &high = a.exponent >= b.exponent ? a : b, &low = a.exponent >= b.exponent ? b : a;
  // Below the 31 bits that `high` is moved up by, only "more, less or equal" matters: a last bit stands for it.
  const int gap = high.exponent - low.exponent, kept = gap < 31 ? gap : 31;
  const std::int64_t tail = gap > 31 ? (low.significand < 0 ? -1 : 1) : low.significand;
  return encode(f, f.fraction_bits, true, (high.significand << kept) + tail, high.exponent - kept - f.fraction_bits);
}

// The FP16 code of an FP8 number: exact; a NaN or Inf stays one.
SIMT_BOTH std::uint32_t fp16_of_fp8(Input input, std::uint32_t code) {
  if (input == Input::e5m2) return code << 8;
  const Number x = decode(format(Input::e4m3), code);
  if (x.nan) return kNanFp16;
  return x.significand ? encode(format(Input::fp16), 10, false, x.significand, x.exponent - 3) : code << 8;
}

// D for a dot of k products: fewer than one sum takes, or a multiple of that (32 for via_fp16_products). a and b are called with 0 .. k
// - 1.
template <class A, class B>
SIMT_BOTH std::uint32_t dot(const Parameters& p, int k, A a, B b, std::uint32_t c) {
  if (p.composition == Composition::chained) {
    Parameters block = p;
    if (k < p.terms) block.terms = k;
    for (int first = 0; first < k; first += block.terms)
      c = fused_sum(
          block, format(p.input), [&](int i) { return a(first + i); }, [&](int i) { return b(first + i); }, c);
    return c;
  }
  std::uint32_t sum = 0;
  for (int half = 0; half < 2; ++half) {
    const auto place = [half](int i) { return i / 2 * 4 + i % 2 + 2 * half; };
    sum = fused_sum(
        p, format(Input::fp16), [&](int i) { return fp16_of_fp8(p.input, a(place(i))); },
        [&](int i) { return fp16_of_fp8(p.input, b(place(i))); }, sum);
  }
  return add_to_nearest(p.accumulator, c, sum);
}

// Integer tensor cores: exact, modulo 2^32. `a_signed` and `b_signed`: s8, else u8.
template <class A, class B>
SIMT_BOTH std::uint32_t integer_dot(bool a_signed, bool b_signed, int k, A a, B b, std::uint32_t c) {
  const auto value = [](bool is_signed, std::uint32_t code) {
    return is_signed ? static_cast<std::int32_t>(static_cast<std::int8_t>(code)) : static_cast<std::int32_t>(code & 255);
  };
  for (int i = 0; i < k; ++i) c += static_cast<std::uint32_t>(value(a_signed, a(i)) * value(b_signed, b(i)));
  return c;
}

}  // namespace simt::tensor
