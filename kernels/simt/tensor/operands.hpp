// Random operands for comparing a model with an instruction, or two models: the same on the host and on the device.
//
// Six generators, each after another way in which two models can differ: ordinary numbers; any bits, with NaN, Inf and subnormals;
// exponents all over the range; an addend that cancels the sum; values around the grid on which terms are aligned; and zeros of both
// signs with a few of the format's corners among them (ones, the largest, subnormal ones, Inf, NaN of several payloads).
#pragma once

#include "kernels/simt/tensor/parameters.hpp"

namespace simt::tensor {

enum class Draw : std::uint8_t { near_normal, any_bits, wide, cancelling, grid_edge, corners };
constexpr int kDraws = 6;

constexpr const char* name(Draw draw) {
  constexpr const char* names[] = {"near_normal", "any_bits", "wide", "cancelling", "grid_edge", "corners"};
  return names[static_cast<int>(draw)];
}

// SplitMix64 (Steele, Lea, Flood 2014).
struct Random64 {
  std::uint64_t state;

  SIMT_BOTH std::uint64_t next() {
    std::uint64_t z = state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
  }
  SIMT_BOTH int below(int limit) { return static_cast<int>((next() >> 32) * static_cast<std::uint64_t>(limit) >> 32); }
  // 0 with probability 1/2, 1 with 1/4, ...
  SIMT_BOTH int geometric() {
    int count = 0;
    for (std::uint64_t bits = next(); bits & 1; bits >>= 1) ++count;
    return count;
  }
};

// The code of a finite number with this biased exponent, forced into range.
SIMT_BOTH std::uint32_t compose(const Format& f, bool negative, int biased, std::uint32_t fraction) {
  const int top = (1 << f.exponent_bits) - (f.has_infinity ? 2 : 1), exponent = biased < 0 ? 0 : biased > top ? top : biased;
  fraction &= (1u << f.fraction_bits) - 1;
  if (!f.has_infinity && exponent == top && fraction == (1u << f.fraction_bits) - 1) fraction ^= 1;
  const std::uint32_t sign = negative ? 1u << (f.exponent_bits + f.fraction_bits) : 0;
  return (sign | static_cast<std::uint32_t>(exponent) << f.fraction_bits | fraction) << f.unused_bits;
}

SIMT_BOTH std::uint32_t corner(const Format& f, Random64& random) {
  const std::uint32_t ones = (1u << f.fraction_bits) - 1, top = (1u << f.exponent_bits) - 1;
  const std::uint32_t codes[] = {static_cast<std::uint32_t>(f.bias()) << f.fraction_bits,                        // 1
                                 (f.has_infinity ? top << f.fraction_bits : top << f.fraction_bits | ones) - 1,  // the largest
                                 1,
                                 ones,
                                 1u << f.fraction_bits,   // subnormal, least normal
                                 top << f.fraction_bits,  // Inf, E4M3: 256
                                 top << f.fraction_bits | ones,
                                 top << f.fraction_bits | 1,  // NaN
                                 top << f.fraction_bits | ((ones >> 1) + 1)};
  const std::uint32_t sign = random.below(2) ? 1u << (f.exponent_bits + f.fraction_bits) : 0;
  return (codes[random.below(9)] | sign) << f.unused_bits;
}

SIMT_BOTH std::uint32_t draw_input(Input input, Draw draw, Random64& random) {
  const Format f = format(input);
  const std::uint64_t bits = random.next();
  const bool negative = bits & 1;
  const auto fraction = static_cast<std::uint32_t>(bits >> 8);
  const int spread = f.exponent_bits == 8 ? 20 : f.exponent_bits == 5 ? 14 : 6;  // powers of two on either side of 1
  switch (draw) {
    case Draw::near_normal: return compose(f, negative, f.bias() - random.geometric(), fraction);
    case Draw::any_bits: return static_cast<std::uint32_t>(bits >> 32) & (f.bits() == 32 ? ~0u : (1u << f.bits()) - 1);
    case Draw::wide: return compose(f, negative, f.bias() - spread + random.below(2 * spread + 1), fraction);
    case Draw::cancelling: return compose(f, negative, f.bias() - random.below(3), fraction);
    case Draw::corners: return bits % 16 < 2 ? corner(f, random) : compose(f, bits >> 32 & 1, 0, 0);
    case Draw::grid_edge: break;
  }
  const int far = f.exponent_bits == 8 ? 13 : 6;  // products up to 2 * far + far / 2 apart, around F = 13 and F = 25
  if (random.below(8) == 0) return compose(f, negative, 0, fraction);
  return compose(f, negative, bits >> 1 & 1 ? f.bias() + far / 2 : f.bias() - random.below(far + 1), fraction);
}

// `sum`: the code of what the products make without an addend.
SIMT_BOTH std::uint32_t draw_addend(Accumulator accumulator, Draw draw, Random64& random, std::uint32_t sum) {
  const Format f = format(accumulator);
  const std::uint64_t bits = random.next();
  const std::uint32_t sign = 1u << (f.bits() - 1);
  if (draw == Draw::any_bits) return static_cast<std::uint32_t>(bits) & (f.bits() == 32 ? ~0u : 0xffffu);
  if (draw == Draw::cancelling) return (sum ^ sign) + static_cast<std::uint32_t>(random.below(7) - 3 > 0 ? random.below(4) : 0);
  if (draw == Draw::corners) return bits % 4 == 0 ? compose(f, bits >> 2 & 1, 0, 0) : corner(f, random);
  if (bits % 4 == 0) return 0;
  const int spread = f.exponent_bits == 8 ? 20 : 14;
  return compose(f, bits >> 1 & 1, f.bias() - spread + random.below(2 * spread + 1), static_cast<std::uint32_t>(bits >> 40));
}

}  // namespace simt::tensor
