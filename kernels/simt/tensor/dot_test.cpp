#include "kernels/simt/tensor/dot.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/simt/tensor/operands.hpp"
#include "kernels/simt/tensor/probes.hpp"

namespace simt::tensor {
namespace {

constexpr Parameters kBf16 = parameters(Architecture::sm_90, Family::wgmma, Input::bf16, Accumulator::fp32);
constexpr Parameters kE4m3 = parameters(Architecture::sm_90, Family::wgmma, Input::e4m3, Accumulator::fp32);
constexpr Parameters kE4m3Mma = parameters(Architecture::sm_90, Family::mma_sync, Input::e4m3, Accumulator::fp32);

struct Pair {
  std::uint32_t a, b;
};

// The pairs at the front of a dot whose other operands are zeros.
std::uint32_t probe(const Parameters& p, std::vector<Pair> pairs, std::uint32_t c = 0) {
  const int k = p.composition == Composition::chained ? p.terms : 32;
  pairs.resize(static_cast<std::size_t>(k));
  return dot(
      p, k, [&](int i) { return pairs[static_cast<std::size_t>(i)].a; }, [&](int i) { return pairs[static_cast<std::size_t>(i)].b; }, c);
}

std::vector<Pair> repeated(int count, Pair pair) { return std::vector<Pair>(static_cast<std::size_t>(count), pair); }

// The formula again in doubles, each step of which is exact: products span 2^-298 to 2^256, sums have at most 33 terms below 2^28.
class Definition {
 public:
  explicit Definition(const Parameters& parameters, bool floor = false) : p(parameters), floor_(floor) {}

  static double value(const Format& f, std::uint32_t code) {
    code >>= f.unused_bits;
    const int biased = static_cast<int>(code >> f.fraction_bits) & ((1 << f.exponent_bits) - 1);
    const int fraction = static_cast<int>(code & ((1u << f.fraction_bits) - 1));
    const double sign = code >> (f.exponent_bits + f.fraction_bits) & 1 ? -1 : 1;
    const int ones = (1 << f.fraction_bits) - 1;
    if (biased == (1 << f.exponent_bits) - 1 && (f.has_infinity || fraction == ones))
      return f.has_infinity && fraction == 0 ? sign * HUGE_VAL : NAN;
    const double significand = fraction + (biased ? std::ldexp(1.0, f.fraction_bits) : 0);
    return sign * std::ldexp(significand, (biased ? biased : 1) - f.bias() - f.fraction_bits);
  }

  std::uint32_t operator()(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t c, const Format& in) const {
    const Format out = format(p.accumulator);
    double special = value(out, c);
    int emax = p.zero_exponent;
    if (special != 0) emax = std::max(emax, exponent(out, special));
    for (int i = 0; i < p.terms; ++i) {
      const double x = value(in, a[i]), y = value(in, b[i]);
      special += x * y;
      if (x * y != 0) emax = std::max(emax, exponent(in, x) + exponent(in, y));
    }
    if (!std::isfinite(special)) return code_of_special(special);
    double sum = term(value(out, c), emax);
    for (int i = 0; i < p.terms; ++i) sum += term(value(in, a[i]) * value(in, b[i]), emax);
    return round(std::ldexp(sum, emax - p.fraction));
  }

 private:
  static int exponent(const Format& f, double x) { return std::isfinite(x) ? std::max(std::ilogb(x), f.min_exponent()) : 0; }
  double term(double x, int emax) const {
    const double scaled = std::ldexp(x, p.fraction - emax);
    return floor_ ? std::floor(scaled) : std::trunc(scaled);
  }
  std::uint32_t code_of_special(double x) const {
    const bool wide = p.accumulator == Accumulator::fp32;
    if (std::isnan(x)) return wide ? 0x7fffffffu : 0x7fffu;
    return (wide ? 0x7f800000u : 0x7c00u) | (x < 0 ? (wide ? 0x80000000u : 0x8000u) : 0);
  }
  std::uint32_t round(double v) const {
    if (v == 0) return 0;
    if (p.rounding == Rounding::fp16_to_nearest) {
      const double unit = std::ldexp(1.0, std::max(std::ilogb(v), -14) - 10), rounded = std::nearbyint(std::fabs(v) / unit) * unit;
      const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(rounded));
      std::uint32_t code = 0x7c00;
      if (rounded < std::ldexp(1.0, -14))
        code = static_cast<std::uint32_t>(std::ldexp(rounded, 24));
      else if (rounded < 65536)
        code = (bits >> 13) - (112u << 10);
      return code && v < 0 ? code | 0x8000u : code;   // nothing is +0
    }
    const int kept = p.rounding == Rounding::fp32_toward_zero ? 23 : 13;
    const double unit = std::ldexp(1.0, std::max(std::ilogb(v), -126) - kept), rounded = std::trunc(v / unit) * unit;
    const std::uint32_t sign = v < 0 ? 0x80000000u : 0;
    return sign | (std::fabs(rounded) >= std::ldexp(1.0, 128) ? 0x7f800000u
                                                              : std::bit_cast<std::uint32_t>(static_cast<float>(std::fabs(rounded))));
  }

  Parameters p;
  bool floor_;
};

int differences(const Parameters& model, const Definition& definition, Draw draw, int count) {
  Random64 random{0x5eed + static_cast<std::uint64_t>(draw)};
  std::vector<std::uint32_t> a(32), b(32);
  int differ = 0;
  for (int n = 0; n < count; ++n) {
    for (auto* x : {&a, &b})
      for (auto& code : *x) code = draw_input(model.input, draw, random);
    const auto at = [](const std::vector<std::uint32_t>& x) { return [&x](int i) { return x[static_cast<std::size_t>(i)]; }; };
    const std::uint32_t alone = fused_sum(model, format(model.input), at(a), at(b), 0);
    const std::uint32_t c = draw_addend(model.accumulator, draw, random, alone);
    differ += fused_sum(model, format(model.input), at(a), at(b), c) != definition(a.data(), b.data(), c, format(model.input));
  }
  return differ;
}

TEST(Dot, IsTheFormulaOnEveryGeneratorAndRow) {
  for (const Parameters& row : kParameters) {
    if (row.composition != Composition::chained) continue;
    for (int draw = 0; draw < kDraws; ++draw)
      EXPECT_EQ(differences(row, Definition(row), Draw(draw), 20000), 0) << "row " << &row - kParameters << ", " << name(Draw(draw));
  }
}

TEST(Dot, OtherGridsAndFloorAreToldApart) {
  for (const Parameters& row : {kBf16, kE4m3})
    for (Draw draw : {Draw::near_normal, Draw::any_bits, Draw::wide, Draw::cancelling, Draw::grid_edge}) {
      Parameters coarser = row, finer = row;
      --coarser.fraction;
      ++finer.fraction;
      EXPECT_GT(differences(row, Definition(coarser), draw, 20000), 0) << name(draw);
      EXPECT_GT(differences(row, Definition(finer), draw, 20000), 0) << name(draw);
      EXPECT_GT(differences(row, Definition(row, true), draw, 20000), 0) << name(draw);
    }
}

TEST(Dot, ProductsAreExact) { EXPECT_EQ(probe(kBf16, {{0x3f81, 0x3f81}}), 0x3f820200u); }

TEST(Dot, KeepsTermsUpTo25BitsBelowTheLargest) {
  EXPECT_EQ(probe(kBf16, {{0x4300, 0x4300}, {0x4300, 0xc300}, {0x3a00, 0x3f80}}), 0x3a000000u);
  EXPECT_EQ(probe(kBf16, {{0x4300, 0x4300}, {0x4300, 0xc300}, {0x3980, 0x3f80}}), 0u);
}

TEST(Dot, TheAddendIsAlignedOnTheSameGrid) { EXPECT_EQ(probe(kBf16, {{0x4300, 0x4300}, {0x4300, 0xc300}}, 0x39800000), 0u); }

TEST(Dot, TermsAreTruncatedTowardZero) {
  EXPECT_EQ(probe(kBf16, {{0x4300, 0x4300}, {0x4300, 0xc300}, {0xba60, 0x3f80}}), 0xba000000u);
  EXPECT_EQ(probe(kBf16, {{0x4300, 0x4300}, {0x4300, 0xc300}, {0x3a60, 0x3f80}}), 0x3a000000u);
}

TEST(Dot, TheSumIsRoundedTowardZero) {
  EXPECT_EQ(probe(kBf16, {{0x3f80, 0x3f80}, {0x33c0, 0x3f80}}), 0x3f800000u);
  EXPECT_EQ(probe(kBf16, {{0xbf80, 0x3f80}, {0xb3c0, 0x3f80}}), 0xbf800000u);
}

TEST(Dot, ProductsAreNotNormalised) { EXPECT_EQ(probe(kBf16, {{0x3fc0, 0x3fc0}, {0x3fc0, 0xbfc0}, {0x3300, 0x3f80}}), 0x33000000u); }

TEST(Dot, SixteenProductsAndTheAddendAreOneSum) {
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t j = i + 1; j < 16; ++j) {
      auto pairs = repeated(16, {0x3f80, 0x3f80});
      pairs[i] = {0x4700, 0x4700};
      pairs[j] = {0x4700, 0xc700};
      EXPECT_EQ(probe(kBf16, pairs), 0u) << i << ' ' << j;
    }
  constexpr Parameters ampere = parameters(Architecture::sm_80, Family::mma_sync, Input::bf16, Accumulator::fp32);
  std::vector<Pair> pairs = repeated(16, {0x3f80, 0x3f80});
  pairs[0] = {0x4700, 0x4700};
  pairs[1] = {0x4700, 0xc700};
  const auto a = [&](int i) { return pairs[static_cast<std::size_t>(i)].a; };
  const auto b = [&](int i) { return pairs[static_cast<std::size_t>(i)].b; };
  EXPECT_EQ(dot(ampere, 16, a, b, 0), 0x41000000u);
}

TEST(Dot, AZeroDoesNotCarryItsPartnersExponent) { EXPECT_EQ(probe(kBf16, {{0x0000, 0x7f00}, {0x3280, 0x3f80}}), 0x32800000u); }

TEST(Dot, SubnormalInputsCount) { EXPECT_EQ(probe(kBf16, {{0x0001, 0x7f00}}), 0x3c800000u); }

TEST(Dot, TheAlignmentHasALeastExponent) {
  EXPECT_EQ(probe(kBf16, {{0x3400, 0x0080}, {0xaf80, 0x0080}}), 0x00000000u);
  EXPECT_EQ(probe(kBf16, {{0x3400, 0x0080}, {0xaf00, 0x0080}}), 0x00000001u);
}

TEST(Dot, ProductsMayOverflowAndCancel) { EXPECT_EQ(probe(kBf16, {{0x7f00, 0x7f00}, {0xff00, 0x7f00}, {0x3f80, 0x3f80}}), 0u); }

TEST(Dot, OverflowIsInfinityOnlyFromTwoToThe128) {
  EXPECT_EQ(probe(kBf16, {{0x7300, 0x3f80}}, 0x7f7fffff), 0x7f7fffffu);
  EXPECT_EQ(probe(kBf16, {{0x7380, 0x3f80}}, 0x7f7fffff), 0x7f800000u);
}

TEST(Dot, SpecialOperandsGiveOneNanOrAnInfinity) {
  EXPECT_EQ(probe(kBf16, repeated(16, {0x8000, 0x3f80}), 0x80000000), 0u);
  EXPECT_EQ(probe(kBf16, {{0x3f80, 0x3f80}, {0xbf80, 0x3f80}}), 0u);
  EXPECT_EQ(probe(kBf16, {{0x7f80, 0x0000}}), 0x7fffffffu);
  EXPECT_EQ(probe(kBf16, {{0x7f80, 0x3f80}}, 0xff800000), 0x7fffffffu);
  EXPECT_EQ(probe(kBf16, {{0xffc1, 0x3f80}}), 0x7fffffffu);
  EXPECT_EQ(probe(kBf16, {}, 0x7f800001), 0x7fffffffu);
  EXPECT_EQ(probe(kBf16, {{0x7f80, 0xbf80}}), 0xff800000u);
}

TEST(Dot, Fp8KeepsTermsUpTo13BitsBelowTheLargest) {
  EXPECT_EQ(probe(kE4m3, {{0x58, 0x58}, {0x58, 0xd8}, {0x10, 0x38}}), 0x3d000000u);
  EXPECT_EQ(probe(kE4m3, {{0x58, 0x58}, {0x58, 0xd8}, {0x08, 0x38}}), 0u);
}

TEST(Dot, Fp8AccumulatorsKeep13FractionBits) { EXPECT_EQ(probe(kE4m3, {}, 0x3f80ffff), 0x3f80fc00u); }

TEST(Dot, ThirtyTwoFp8ProductsAreOneSum) {
  auto pairs = repeated(32, {0x38, 0x38});
  pairs[0] = {0x78, 0x78};
  pairs[1] = {0x78, 0xf8};
  EXPECT_EQ(probe(kE4m3, pairs), 0u);
}

TEST(Dot, Fp8TermsAreTruncatedTowardZero) { EXPECT_EQ(probe(kE4m3, {{0x58, 0x58}, {0x58, 0xd8}, {0x96, 0x38}}), 0xbd000000u); }

TEST(Dot, SubnormalFp8FactorsAreNotNormalised) { EXPECT_EQ(probe(kE4m3, {{0x01, 0x7e}, {0x81, 0x7e}, {0x08, 0x08}}), 0u); }

TEST(Dot, Fp8SumsAreRoundedTowardZeroTo13Bits) {
  auto pairs = repeated(31, {0x38, 0x38});
  pairs.push_back({0x14, 0x10});
  EXPECT_EQ(probe(kE4m3, pairs), 0x41f80000u);
}

TEST(Dot, HoppersFp8MmaSumsByPlaceModulo4AndAddsTheAddendLast) {
  const auto with = [](std::size_t plus, std::size_t minus) {
    auto pairs = repeated(32, {0x38, 0x38});
    pairs[plus] = {0x7e, 0x7e};
    pairs[minus] = {0x7e, 0xfe};
    return pairs;
  };
  EXPECT_EQ(probe(kE4m3Mma, with(0, 16)), std::bit_cast<std::uint32_t>(30.0f));
  EXPECT_EQ(probe(kE4m3Mma, with(0, 2)), std::bit_cast<std::uint32_t>(30.0f));
  EXPECT_EQ(probe(kE4m3Mma, with(0, 2), 0x35800000), 0x41f00000u);
  EXPECT_EQ(probe(kE4m3Mma, {}, 0x3f80ffff), 0x3f80ffffu);
}

TEST(Dot, AnswersTheProbesOfTheDevice) {
  for (const auto& [row, probes] : {std::pair{kBf16, bf16_probes()}, {kE4m3, e4m3_probes()}, {kE4m3Mma, emulated_e4m3_probes()}})
    for (const Probe& p : probes) {
      std::vector<Pair> pairs;
      for (std::size_t i = 0; i < p.a.size(); ++i) pairs.push_back({p.a[i], p.b[i]});
      EXPECT_EQ(probe(row, pairs, p.addend), p.answer) << p.shows;
    }
}

TEST(Dot, AdditionToNearestIsThatOfTheHost) {
  Random64 random{7};
  for (int n = 0; n < 1000000; ++n) {
    const auto x = static_cast<std::uint32_t>(random.next());
    const auto y =
        n % 2 ? static_cast<std::uint32_t>(random.next()) : x + 0x80000000u + static_cast<std::uint32_t>(random.below(1 << 27) - (1 << 26));
    const float sum = std::bit_cast<float>(x) + std::bit_cast<float>(y);
    ASSERT_EQ(add_to_nearest(Accumulator::fp32, x, y), std::isnan(sum) ? kNanFp32 : std::bit_cast<std::uint32_t>(sum)) << x << ' ' << y;
  }
}

TEST(Dot, Fp16HoldsEveryFp8Number) {
  for (Input input : {Input::e4m3, Input::e5m2})
    for (std::uint32_t code = 0; code < 256; ++code) {
      const double x = Definition::value(format(input), code), y = Definition::value(format(Input::fp16), fp16_of_fp8(input, code));
      EXPECT_TRUE(x == y || (std::isnan(x) && std::isnan(y))) << code;
      EXPECT_TRUE(std::isnan(x) || std::signbit(x) == std::signbit(y)) << code;
    }
}

TEST(Dot, IntegersWrap) {
  const auto all = [](std::uint32_t code) { return [code](int) { return code; }; };
  EXPECT_EQ(integer_dot(true, true, 32, all(0x80), all(0x80), 0), 32u * 128 * 128);
  EXPECT_EQ(integer_dot(true, true, 32, all(0x80), all(0x7f), 0), static_cast<std::uint32_t>(-32 * 128 * 127));
  EXPECT_EQ(integer_dot(false, false, 32, all(0xff), all(0xff), 0x7fffffff), 0x7fffffffu + 32u * 255 * 255);
}

}  // namespace
}  // namespace simt::tensor
