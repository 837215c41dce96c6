// How each generation's tensor cores compute one element of D = A*B + C: the truncated fused dot-product-add, as data.
//
// The operation itself is dot.hpp. Here stand its parameters: how many products one sum takes, on which grid they are aligned, how the
// sum is rounded, and whether the instruction is one sum or several. Rows marked published_only come from papers and other people's
// measurements: they are for error bounds and comparison, never for a claim about bits. Rows marked measured agreed with the instruction
// on an H200 in 5.4 * 10^9 random dots each, or are exact integers.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define SIMT_BOTH __host__ __device__ __forceinline__
#else
#define SIMT_BOTH inline
#endif

namespace simt::tensor {

enum class Input : std::uint8_t { bf16, fp16, tf32, e4m3, e5m2 };
enum class Accumulator : std::uint8_t { fp32, fp16 };
enum class Family : std::uint8_t { mma_sync, wgmma };
enum class Architecture : std::uint8_t { sm_80, sm_89, sm_90 };

// A number format: 1 sign bit, `exponent_bits`, `fraction_bits`; codes are right-aligned, except TF32, whose code is a whole FP32 word.
struct Format {
  int exponent_bits;
  int fraction_bits;
  int unused_bits;    // below the fraction, ignored
  bool has_infinity;  // E4M3 has none: only the code of all ones is special, a NaN

  SIMT_BOTH constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  SIMT_BOTH constexpr int min_exponent() const { return 1 - bias(); }  // of normal numbers and of all subnormal ones
  SIMT_BOTH constexpr int bits() const { return 1 + exponent_bits + fraction_bits + unused_bits; }
};

SIMT_BOTH constexpr Format format(Input input) {
  switch (input) {
    case Input::bf16: return {8, 7, 0, true};
    case Input::fp16: return {5, 10, 0, true};
    case Input::tf32: return {8, 10, 13, true};
    case Input::e4m3: return {4, 3, 0, false};
    case Input::e5m2: return {5, 2, 0, true};
  }
  return {};
}

SIMT_BOTH constexpr Format format(Accumulator accumulator) {
  return accumulator == Accumulator::fp32 ? Format{8, 23, 0, true} : Format{5, 10, 0, true};
}

// How the exact sum becomes the result.
enum class Rounding : std::uint8_t {
  fp32_toward_zero,   // 23 fraction bits
  e8m13_toward_zero,  // 13 fraction bits, kept in an FP32 word whose low 10 bits are 0
  fp16_to_nearest     // once, ties to even
};

enum class Composition : std::uint8_t {
  chained,           // blocks of `terms` in ascending k, each starting from the result of the one before, the first from C
  via_fp16_products  // FP8 converted to FP16, two sums of 16 from 0 (k mod 4 in {0,1}, then {2,3}), then a rounded addition of C
};

enum class Evidence : std::uint8_t { measured, published_only };

struct Parameters {
  Architecture architecture;
  Family family;
  Input input;
  Accumulator accumulator;
  int terms;     // L: products in one fused sum
  int fraction;  // F: bits kept below the largest exponent
  Rounding rounding;
  int zero_exponent;  // the least exponent that the alignment can have: what a zero counts as
  Composition composition;
  Evidence evidence;
};

// Sources of the rows: sm_90 was compared with an H200, 1.5 * 10^9 dots for each of 60 variants of its instructions without a difference
// (golden/results/nvidia-h200/tensor_differential.json); Ampere and Ada from MMA-Sim (arXiv 2511.10909) and Khattak and Mikaitis (arXiv
// 2512.07004), which agree. zero_exponent is min_exponent(FP32) - 1 - (F - 19), -133 for F = 25 and -132 for F = 24; 112 more with FP16.
// The FP8 mma.sync rows of sm_90 describe what CUDA 13.0's ptxas makes of that instruction: Hopper has no such unit.
inline constexpr Parameters kParameters[] = {
#define SIMT_ROW(arch, family, in, acc, terms, fraction, rounding, zero, composition, evidence)                                           \
  Parameters {                                                                                                                            \
    Architecture::arch, Family::family, Input::in, Accumulator::acc, terms, fraction, Rounding::rounding, zero, Composition::composition, \
        Evidence::evidence                                                                                                                \
  }
    SIMT_ROW(sm_90, mma_sync, bf16, fp32, 16, 25, fp32_toward_zero, -133, chained, measured),
    SIMT_ROW(sm_90, mma_sync, fp16, fp32, 16, 25, fp32_toward_zero, -133, chained, measured),
    SIMT_ROW(sm_90, mma_sync, fp16, fp16, 16, 25, fp16_to_nearest, -21, chained, measured),
    SIMT_ROW(sm_90, mma_sync, tf32, fp32, 8, 25, fp32_toward_zero, -133, chained, measured),
    SIMT_ROW(sm_90, mma_sync, e4m3, fp32, 16, 25, fp32_toward_zero, -133, via_fp16_products, measured),
    SIMT_ROW(sm_90, mma_sync, e5m2, fp32, 16, 25, fp32_toward_zero, -133, via_fp16_products, measured),
    SIMT_ROW(sm_90, mma_sync, e4m3, fp16, 16, 25, fp16_to_nearest, -21, via_fp16_products, measured),
    SIMT_ROW(sm_90, mma_sync, e5m2, fp16, 16, 25, fp16_to_nearest, -21, via_fp16_products, measured),
    SIMT_ROW(sm_90, wgmma, bf16, fp32, 16, 25, fp32_toward_zero, -133, chained, measured),
    SIMT_ROW(sm_90, wgmma, fp16, fp32, 16, 25, fp32_toward_zero, -133, chained, measured),
    SIMT_ROW(sm_90, wgmma, fp16, fp16, 16, 25, fp16_to_nearest, -21, chained, measured),
    SIMT_ROW(sm_90, wgmma, tf32, fp32, 8, 25, fp32_toward_zero, -133, chained, measured),
    SIMT_ROW(sm_90, wgmma, e4m3, fp32, 32, 13, e8m13_toward_zero, -133, chained, measured),
    SIMT_ROW(sm_90, wgmma, e5m2, fp32, 32, 13, e8m13_toward_zero, -133, chained, measured),
    SIMT_ROW(sm_90, wgmma, e4m3, fp16, 32, 13, fp16_to_nearest, -21, chained, measured),
    SIMT_ROW(sm_90, wgmma, e5m2, fp16, 32, 13, fp16_to_nearest, -21, chained, measured),
    SIMT_ROW(sm_89, mma_sync, bf16, fp32, 8, 24, fp32_toward_zero, -132, chained, published_only),
    SIMT_ROW(sm_89, mma_sync, fp16, fp32, 8, 24, fp32_toward_zero, -132, chained, published_only),
    SIMT_ROW(sm_89, mma_sync, fp16, fp16, 8, 24, fp16_to_nearest, -20, chained, published_only),
    SIMT_ROW(sm_89, mma_sync, tf32, fp32, 4, 24, fp32_toward_zero, -132, chained, published_only),
    SIMT_ROW(sm_89, mma_sync, e4m3, fp32, 16, 13, e8m13_toward_zero, -132, chained, published_only),
    SIMT_ROW(sm_89, mma_sync, e5m2, fp32, 16, 13, e8m13_toward_zero, -132, chained, published_only),
    SIMT_ROW(sm_89, mma_sync, e4m3, fp16, 16, 13, fp16_to_nearest, -20, chained, published_only),
    SIMT_ROW(sm_89, mma_sync, e5m2, fp16, 16, 13, fp16_to_nearest, -20, chained, published_only),
    SIMT_ROW(sm_80, mma_sync, bf16, fp32, 8, 24, fp32_toward_zero, -132, chained, published_only),
    SIMT_ROW(sm_80, mma_sync, fp16, fp32, 8, 24, fp32_toward_zero, -132, chained, published_only),
    SIMT_ROW(sm_80, mma_sync, fp16, fp16, 8, 24, fp16_to_nearest, -20, chained, published_only),
    SIMT_ROW(sm_80, mma_sync, tf32, fp32, 4, 24, fp32_toward_zero, -132, chained, published_only),
#undef SIMT_ROW
};

// The row, for constant evaluation; one that does not exist stops the compilation (or aborts).
consteval Parameters parameters(Architecture architecture, Family family, Input input, Accumulator accumulator) {
  for (const Parameters& row : kParameters)
    if (row.architecture == architecture && row.family == family && row.input == input && row.accumulator == accumulator) return row;
  throw "no such instruction";
}

}  // namespace simt::tensor
