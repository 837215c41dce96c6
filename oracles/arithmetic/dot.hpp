// Dot products as tensor cores and packed FP16 compute them: which products meet in which accumulator, in which order, and how each result
// is rounded. What an implementation declares of its main loop; dot_bound.hpp turns it into a bound.
//
// A dot product is a list of chains. A chain is one accumulator and the k it takes, instruction by instruction; from time to time it may be
// promoted, that is added to a second accumulator in FP32 and started again from zero. At the end the chains are combined.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "oracles/formats/format.hpp"

namespace assay {

/// How a fused sum becomes the accumulator's new value.
enum class Rounding : uint8_t {
  fp32_toward_zero,    // 23 stored fraction bits
  e8m13_toward_zero,   // 13 fraction bits in an FP32 word
  fp32_to_nearest,
  fp16_to_nearest,
};
std::string_view name(Rounding);
int fraction_bits(Rounding);

/// One instruction: `depth` elements of k, `terms` at a time in one fused sum with the accumulator. Fused sums align every term to the
/// largest exponent among them and cut it off `aligned_bits` below (sign-magnitude, no guard bits); with aligned_bits = 0 the sum is exact
/// before its rounding, as in a fused multiply-add.
struct Instruction {
  std::string name;
  int depth = 16;
  int terms = 16;
  int aligned_bits = 25;
  Rounding rounding = Rounding::fp32_toward_zero;
  Format operands = Format::bf16;   // what a and b are read as: their significand and the exponent of their subnormals
  std::vector<int> order{};         // the elements of one instruction in the order in which sums take them; empty: as they lie
  int accumulators = 1;             // side by side, each with its share of `order`; added in FP32 when they are promoted
  bool operator==(const Instruction&) const = default;
};

/// The tensor cores of sm_90 (H200, CUDA 13.0), as measured: 60 variants with 1.5e9 dot products each, no difference from the model.
namespace sm_90 {
Instruction mma_bf16();        // mma.sync and wgmma, FP32 accumulator
Instruction mma_fp16();
Instruction mma_fp16_fp16();   // FP16 accumulator
Instruction mma_e4m3();        // mma.sync m16n8k32: two FP16 sums of 16 from zero, added to C on the CUDA cores; declare promotion_of it too
Instruction wgmma_e4m3();      // 32 products a sum, 13 bits
}  // namespace sm_90

/// HFMA2: even and odd elements of a run of `depth` in two FP16 accumulators.
Instruction packed_fp16_fma(int depth);
/// One FP32 fused multiply-add after the other.
Instruction fp32_fma();

/// What covers unknown sums, for the bounds without an order (dot_bound.hpp).
namespace unknown {
/// FP32 sums of 16-bit operands, in trees of any shape. K steps of 1.5 * 2^-24 each: a fused multiply-add or an addition errs by 2^-24 and
/// a tree over K products has K - 1 of them; a tensor core's sum of 8 (of 16) products by 6 (10) * 2^-24, which stand against 12 (24).
Instruction fp32_sums(Format operands);
/// Sums of E4M3 products, in tensor cores with 13 bits or anything finer. K / 16 steps of 17 * 2^-13: wgmma's sum of 32 errs by 33 * 2^-13,
/// and the 2^-13 that are left of two steps pay for the FP32 additions that join parts of 32 k or more.
Instruction e4m3_sums();
}  // namespace unknown

/// All of the above, with hfma2 for runs of 2 to 64; what a text may call by its name alone.
const std::vector<Instruction>& known_instructions();

/// The k of one accumulator, in order: `width` elements from `first`, then from first + stride, ... all below `end`. Elements beyond K count
/// as zeros.
struct Chain {
  int64_t first = 0, end = 0, width = 0, stride = 0;   // width 0: everything from first to end
  bool operator==(const Chain&) const = default;
};

/// Every `every` elements along a chain its accumulator P is added to an FP32 accumulator and restarted: main = main + s * P. With `inner`,
/// P is itself such an accumulator: every `inner` elements the instruction's own is added to it, rounded to FP32, and restarted.
struct Promotion {
  int64_t every = 0;        // 0: never
  int scale_roundings = 0;  // FP32 roundings by which s itself may be off (a product of two scales: 1)
  bool fused = true;        // one rounding for s * P + main; otherwise one for the product, where there is a scale, and one for the sum
  int64_t inner = 0;        // 0: P is the instruction's accumulator
  bool operator==(const Promotion&) const = default;
};

/// How the results of several chains become one. Each is rounded to `part`, then they are added in `sum`: as an ascending list, or in any
/// order in which no part passes more than `depth` additions.
struct Combination {
  Format part = Format::fp32;
  Format sum = Format::fp32;
  bool ascending = true;
  int64_t depth = 0;   // not ascending: 0 means number of parts - 1
  bool into_output = false;   // `part` and `sum` are the output's format: the last of these roundings is its own, which the judge makes
  int64_t together = 1;   // ascending: so many neighbours at a time are added to each other first
  bool operator==(const Combination&) const = default;
};

struct Dot {
  Instruction instruction;
  std::vector<Chain> chains{};   // empty: unknown order
  Promotion promotion{};
  Combination combination{};
  /// Where the chains depend on the element of the result: its own, by row and column; instead of `chains`.
  std::function<std::vector<Chain>(int64_t row, int64_t column)> chains_of{};

  /// What holds for one element.
  Dot at(int64_t row, int64_t column) const;
};

/// "tensor core bf16 (16 products a sum aligned to 25 bits, fp32 toward zero), 4 chains of 1024 k, added in fp32 in order". Says everything
/// but which chains an element has of its own (chains_of).
std::string describe(const Dot&);
std::string describe(const Instruction&);

/// `parts` chains over [0, k): contiguous, each a multiple of `multiple` long but for the last.
std::vector<Chain> contiguous_chains(int64_t k, int64_t parts, int64_t multiple);

/// What sm_90's mma_e4m3 does with its products before they reach C; of an `outer` promotion, what it does within.
Promotion promotion_of_mma_e4m3();
Promotion promotion_of_mma_e4m3(Promotion outer);

}  // namespace assay
