// The fast path of matrix.hpp for SIMT_LANES lanes, a lane a row. Included by one file for each instruction set; uses nothing of the
// standard library, whose inline functions would be compiled for that instruction set and then serve the whole program.
//
// Exact because: a product of two significands fits an FP32 number; a power of two scales it without rounding; converting to an integer
// is the truncation; 8 terms below 2^27 and an addend below 2^26 fit 32 bits; the sum of two such fits a double. That needs exponents of
// operands in [kLeast, kMost] and of the addend in [2 * kLeast, kMostAddend], so that no power of two leaves the normal numbers.
#pragma once

#include <immintrin.h>

#include "kernels/simt/tensor/matrix.hpp"

namespace simt::tensor {
namespace {

constexpr int W = SIMT_LANES;
constexpr int kLeast = -50, kMost = 60, kMostAddend = 100;
constexpr int kZero = -4096;  // the exponent of a zero: below all others

struct Lanes {
  using Ints [[gnu::vector_size(W * 4)]] = int;
  using Words [[gnu::vector_size(W * 4)]] = unsigned;
  using Floats [[gnu::vector_size(W * 4)]] = float;
  using HalfInts [[gnu::vector_size(W * 2)]] = int;
  using HalfFloats [[gnu::vector_size(W * 2)]] = float;
  using Doubles [[gnu::vector_size(W * 4)]] = double;
  using Longs [[gnu::vector_size(W * 4)]] = long long;

  // Decoded codes: value[i] and its exponent. Codes that the fast path cannot take are marked in bad[i] (all ones).
  struct Codes {
    float* value;
    int* exponent;
    int* bad;
  };

  template <class V, class T>
  static V load(const T* from) {
    V v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
  }
  template <class V, class T>
  static void store(T* to, const V& v) {
    __builtin_memcpy(to, &v, sizeof v);
  }
  static Ints larger(Ints a, Ints b) { return a > b ? a : b; }
  static Floats power_of_two(Ints exponent) { return reinterpret_cast<Floats>((exponent + 127) << 23); }

  // `f`: of the codes; `least`: below this an exponent is marked; `most` likewise.
  static void decode(const Format& f, const std::uint32_t* codes, int count, int least, int most, Codes out) {
    const int top = (1 << f.exponent_bits) - 1, ones = (1 << f.fraction_bits) - 1;
    for (int i = 0; i < count; i += W) {
      const Ints code = reinterpret_cast<Ints>(load<Words>(codes + i) >> f.unused_bits);
      const Ints fraction = code & ones, biased = code >> f.fraction_bits & top;
      const Ints significand = fraction | ((biased != 0) & (1 << f.fraction_bits));
      const Ints exponent = larger(biased, Ints{} + 1) - f.bias();
      const Ints special = f.has_infinity ? biased == top : (biased == top) & (fraction == ones);
      const Ints nonzero = significand != 0;
      const Ints sign = (code >> (f.exponent_bits + f.fraction_bits) & 1) << 31;
      const Floats value = __builtin_convertvector(significand, Floats) * power_of_two(exponent - f.fraction_bits);
      store(out.value + i, reinterpret_cast<Ints>(value) | sign);
      store(out.exponent + i, (exponent & nonzero) | (~nonzero & kZero));
      store(out.bad + i, special | (nonzero & ((exponent < least) | (exponent > most))));
    }
  }

  // The sum of two vectors of integers, exactly.
  static Doubles sum(const Ints& a, const Ints& b, int half) {
    const auto part = [half](const Ints& v) {
      return __builtin_convertvector(load<HalfInts>(reinterpret_cast<const int*>(&v) + half * (W / 2)), Doubles);
    };
    return part(a) + part(b);
  }

  // The sum toward zero to 24 bits: a double without its 29 lowest bits.
  static Floats toward_zero(const Ints& a, const Ints& b) {
    float out[W];
    for (int half = 0; half < 2; ++half) {
      const Longs kept = reinterpret_cast<Longs>(sum(a, b, half)) & ~((1ll << 29) - 1);
      store(out + half * (W / 2), __builtin_convertvector(reinterpret_cast<Doubles>(kept), HalfFloats));
    }
    return load<Floats>(out);
  }

  // The sum times `unit`, to the nearest number with FP16's grid: adding 1.5 * 2^52 units of that grid leaves no room for less.
  // What rounds to nothing is +0 (dot.hpp).
  static Floats nearest_fp16(const Ints& a, const Ints& b, const Floats& unit) {
    float out[W];
    for (int half = 0; half < 2; ++half) {
      const HalfFloats units = load<HalfFloats>(reinterpret_cast<const float*>(&unit) + half * (W / 2));
      const Doubles value = sum(a, b, half) * __builtin_convertvector(units, Doubles);
      const Longs biased = reinterpret_cast<Longs>(value) >> 52 & 2047, least = Longs{} + (1023 - 14);
      const Longs grid = (biased > least ? biased : least) + (52 - 10);
      const Doubles magic = reinterpret_cast<Doubles>(grid << 52 | 1ll << 51);
      const Doubles rounded = (value + magic) - magic;
      const Longs sign = reinterpret_cast<Longs>(value) & (1ll << 63), magnitude = reinterpret_cast<Longs>(rounded) & ~(1ll << 63);
      const Longs overflow = magnitude >= reinterpret_cast<Longs>(Doubles{} + 65536.0);
      const Longs bits = (sign & (magnitude != 0)) | (overflow ? Longs{} + (2047ll << 52) : magnitude);
      store(out + half * (W / 2), __builtin_convertvector(reinterpret_cast<Doubles>(bits), HalfFloats));
    }
    return load<Floats>(out);
  }

  // What one column group needs to know of the operands: decoded A (i * kRows + row) and B (column * k + i).
  struct Operands {
    const float *a, *b;
    const int *a_exponent, *b_exponent;
    int k;
  };

  // One fused sum for W rows and U columns: `c` becomes the result. b counts from the first of the columns.
  template <int U, int kTerms>
  static void fused_sum(const Parameters& p, const Operands& o, Floats (&c)[U], Ints (&c_exponent)[U]) {
    const int clamp = p.zero_exponent > 2 * kLeast ? p.zero_exponent : 2 * kLeast;
    Ints emax[U];
    for (int u = 0; u < U; ++u) emax[u] = larger(c_exponent[u], Ints{} + clamp);
    for (int i = 0; i < kTerms; ++i) {
      const Ints a = load<Ints>(o.a_exponent + i * kRows);
      for (int u = 0; u < U; ++u) emax[u] = larger(emax[u], a + o.b_exponent[u * o.k + i]);
    }
    Floats scale[U];
    Words sums[2][U];
    for (int u = 0; u < U; ++u) {
      scale[u] = power_of_two(p.fraction - emax[u]);
      sums[0][u] = reinterpret_cast<Words>(__builtin_convertvector(c[u] * scale[u], Ints));
      sums[1][u] = Words{};
    }
#pragma GCC unroll 8
    for (int i = 0; i < kTerms; ++i) {
      const Floats a = load<Floats>(o.a + i * kRows);
      for (int u = 0; u < U; ++u)
        sums[i / 8 % 2][u] += reinterpret_cast<Words>(__builtin_convertvector(a * o.b[u * o.k + i] * scale[u], Ints));
    }
    for (int u = 0; u < U; ++u) {
      const Ints low = reinterpret_cast<Ints>(sums[0][u]), high = reinterpret_cast<Ints>(sums[1][u]);
      c[u] = round(p, low, high, power_of_two(emax[u] - p.fraction));
    }
  }

  static Floats round(const Parameters& p, const Ints& low, const Ints& high, const Floats& unit) {
    switch (p.rounding) {
      case Rounding::fp32_toward_zero: return toward_zero(low, high) * unit;
      case Rounding::fp16_to_nearest: return nearest_fp16(low, high, unit);
      case Rounding::e8m13_toward_zero: break;
    }
    // At most 33 terms below 2^15; lanes with specials hold anything, and are computed again elsewhere: no signed addition.
    const Ints sum = reinterpret_cast<Ints>(reinterpret_cast<Words>(low) + reinterpret_cast<Words>(high));
    const Floats exact = __builtin_convertvector(sum, Floats);
    return reinterpret_cast<Floats>(reinterpret_cast<Ints>(exact) & ~((1 << 10) - 1)) * unit;
  }

  // The exponent of results that are addends of the next sum; an infinite one is marked.
  static Ints exponents(const Parameters& p, const Floats& c, Ints& bad) {
    const Ints biased = reinterpret_cast<Ints>(c) >> 23 & 255;
    bad |= biased == 255;
    const Ints exponent = biased - 127;
    const int least = p.accumulator == Accumulator::fp16 ? -14 : 2 * kLeast - 64;
    return biased == 0 ? Ints{} + kZero : larger(exponent, Ints{} + least);
  }

  static void encode(const Parameters& p, const Floats& d, std::uint32_t* to) {
    if (p.accumulator == Accumulator::fp32) return store(to, d);
    for (int i = 0; i < W; i += 8) {
      const __m128i halves = _mm256_cvtps_ph(load<__m256>(reinterpret_cast<const float*>(&d) + i), _MM_FROUND_TO_NEAREST_INT);
      store(to + i, _mm256_cvtepu16_epi32(halves));
    }
  }

  struct Addends {
    alignas(64) float value[kRows];
    alignas(64) int exponent[kRows], bad[kRows];
  };

  template <int U, int kTerms>
  static void columns(const Parameters& p, const Tile& t, const Operands& all, int first, std::uint8_t (*bad)[kRows]) {
    Addends addends[U];
    const Format out = format(p.accumulator);
    const bool from_zero = p.composition == Composition::via_fp16_products;
    for (int u = 0; u < U; ++u) {
      Addends& x = addends[u];
      decode(out, t.c + (first + u) * kRows, kRows, 2 * kLeast, kMostAddend, {x.value, x.exponent, x.bad});
    }
    for (int row = 0; row < kRows; row += W) {
      Floats c[U];
      Ints c_exponent[U], is_bad[U];
      for (int u = 0; u < U; ++u) {
        c[u] = from_zero ? Floats{} : load<Floats>(addends[u].value + row);
        c_exponent[u] = from_zero ? Ints{} + kZero : load<Ints>(addends[u].exponent + row);
        is_bad[u] = load<Ints>(addends[u].bad + row);
      }
      for (int i = 0; i < t.k; i += kTerms) {
        if (i)
          for (int u = 0; u < U; ++u) c_exponent[u] = exponents(p, c[u], is_bad[u]);
        const int b = first * t.k + i, a = i * kRows + row;
        fused_sum<U, kTerms>(p, {all.a + a, all.b + b, all.a_exponent + a, all.b_exponent + b, t.k}, c, c_exponent);
      }
      for (int u = 0; u < U; ++u) {
        if (from_zero) {
          (void)exponents(p, c[u], is_bad[u]);
          c[u] = c[u] + load<Floats>(addends[u].value + row);
        }
        encode(p, c[u], t.d + (first + u) * kRows + row);
        for (int lane = 0; lane < W; ++lane) bad[first + u][row + lane] = is_bad[u][lane] != 0;
      }
    }
  }

  // Where FP8 codes that go through FP16 stand among the 2 * 16 products, and the codes themselves.
  static int place(int i) { return i / 16 * 2 + i % 16 / 2 * 4 + i % 2; }

  // Fills d, and marks in bad[column][row] the outputs that the scalar model must do again.
  static void multiply(const Parameters& p, const Tile& t, std::uint8_t (*bad)[kRows]) {
    alignas(64) float a[kMaxDepth * kRows], b[kMaxDepth * kMaxColumns];
    alignas(64) int a_exponent[kMaxDepth * kRows], b_exponent[kMaxDepth * kMaxColumns];
    alignas(64) int a_bad[kMaxDepth * kRows], b_bad[kMaxDepth * kMaxColumns];
    decode_operands(p, t, {a, a_exponent, a_bad}, {b, b_exponent, b_bad});
    const Operands all{a, b, a_exponent, b_exponent, t.k};
    for (int first = 0; first < t.columns; first += 4) {
      switch (p.terms) {
        case 8: columns<4, 8>(p, t, all, first, bad); break;
        case 16: columns<4, 16>(p, t, all, first, bad); break;
        default: columns<4, 32>(p, t, all, first, bad);
      }
    }
    mark(t, a_bad, b_bad, bad);
  }

  static void decode_operands(const Parameters& p, const Tile& t, Codes a, Codes b) {
    if (p.composition == Composition::chained) {
      decode(format(p.input), t.a, t.k * kRows, kLeast, kMost, a);
      decode(format(p.input), t.b, t.k * t.columns, kLeast, kMost, b);
      return;
    }
    // FP16 holds every FP8 number, E4M3's subnormal ones as normal ones: their exponents are those of FP16.
    alignas(64) std::uint32_t codes[kMaxDepth * kMaxColumns];
    for (int i = 0; i < t.k; ++i)
      for (int row = 0; row < kRows; ++row) codes[i * kRows + row] = to_fp16(p.input, t.a[place(i) * kRows + row]);
    decode(format(Input::fp16), codes, t.k * kRows, kLeast, kMost, a);
    for (int column = 0; column < t.columns; ++column)
      for (int i = 0; i < t.k; ++i) codes[column * t.k + i] = to_fp16(p.input, t.b[column * t.k + place(i)]);
    decode(format(Input::fp16), codes, t.k * t.columns, kLeast, kMost, b);
  }

  static std::uint32_t to_fp16(Input input, std::uint32_t code) {
    if (input == Input::e5m2) return code << 8;
    const std::uint32_t sign = code << 8 & 0x8000, rest = code & 127;
    if (rest == 127) return 0x7fff;
    if (rest >= 8) return sign | ((rest << 7) + (8 << 10));
    if (rest == 0) return sign;
    const int top = 31 - __builtin_clz(rest);  // rest * 2^-9
    return sign | static_cast<std::uint32_t>(top - 9 + 15) << 10 | (rest << (10 - top) & 1023);
  }

  static void mark(const Tile& t, const int* a_bad, const int* b_bad, std::uint8_t (*bad)[kRows]) {
    int rows[kRows] = {}, any = 0;
    for (int i = 0; i < t.k; ++i)
      for (int row = 0; row < kRows; ++row) rows[row] |= a_bad[i * kRows + row];
    for (int row = 0; row < kRows; ++row) any |= rows[row];
    for (int column = 0; column < t.columns; ++column) {
      int whole = 0;
      for (int i = 0; i < t.k; ++i) whole |= b_bad[column * t.k + i];
      if (whole | any)
        for (int row = 0; row < kRows; ++row) bad[column][row] |= (whole | rows[row]) != 0;
    }
  }
};

}  // namespace
}  // namespace simt::tensor
