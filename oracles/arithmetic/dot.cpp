#include "oracles/arithmetic/dot.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay {

std::string_view name(Rounding r) {
  switch (r) {
    case Rounding::fp32_toward_zero: return "fp32 toward zero";
    case Rounding::e8m13_toward_zero: return "13 fraction bits toward zero";
    case Rounding::fp32_to_nearest: return "fp32 to nearest";
    case Rounding::fp16_to_nearest: return "fp16 to nearest";
  }
  return "?";
}

int fraction_bits(Rounding r) {
  switch (r) {
    case Rounding::fp32_toward_zero: case Rounding::fp32_to_nearest: return 23;
    case Rounding::e8m13_toward_zero: return 13;
    case Rounding::fp16_to_nearest: return 10;
  }
  return 0;
}

Instruction sm_90::mma_bf16() { return {.name = "tensor core bf16"}; }
Instruction sm_90::mma_fp16() { return {.name = "tensor core fp16", .operands = Format::fp16}; }
Instruction sm_90::mma_fp16_fp16() {
  return {.name = "tensor core fp16", .rounding = Rounding::fp16_to_nearest, .operands = Format::fp16};
}
Instruction sm_90::wgmma_e4m3() {
  return {.name = "wgmma e4m3", .depth = 32, .terms = 32, .aligned_bits = 13, .rounding = Rounding::e8m13_toward_zero, .operands = Format::e4m3fn};
}
Instruction sm_90::mma_e4m3() {
  // ptxas 13.0 for sm_90: k mod 4 in {0, 1} is the first FP16 sum, {2, 3} the second
  Instruction i{.name = "mma.sync e4m3 by way of fp16", .depth = 32, .operands = Format::e4m3fn};
  for (int group : {0, 2})
    for (int k = 0; k < 32; k += 4) i.order.insert(i.order.end(), {k + group, k + group + 1});
  return i;
}
Promotion promotion_of_mma_e4m3() { return {.every = 32}; }
Promotion promotion_of_mma_e4m3(Promotion outer) {
  outer.inner = promotion_of_mma_e4m3().every;
  return outer;
}

Instruction packed_fp16_fma(int depth) {
  Instruction i{.name = "hfma2", .depth = depth, .terms = 1, .aligned_bits = 0, .rounding = Rounding::fp16_to_nearest, .operands = Format::fp16, .accumulators = 2};
  for (int odd : {0, 1})
    for (int k = odd; k < depth; k += 2) i.order.push_back(k);
  return i;
}
Instruction fp32_fma() { return {.name = "ffma", .depth = 1, .terms = 1, .aligned_bits = 0, .rounding = Rounding::fp32_to_nearest, .operands = Format::fp32}; }

std::vector<Chain> contiguous_chains(int64_t k, int64_t parts, int64_t multiple) {
  const int64_t length = ((k + parts - 1) / parts + multiple - 1) / multiple * multiple;
  std::vector<Chain> chains;
  for (int64_t first = 0; first < std::max<int64_t>(k, 1); first += length) chains.push_back({.first = first, .end = std::min(k, first + length)});
  return chains;
}

Dot Dot::at(int64_t row, int64_t column) const {
  return {.instruction = instruction, .chains = chains_of ? chains_of(row, column) : chains, .promotion = promotion, .combination = combination};
}

Instruction unknown::fp32_sums(Format operands) {
  return {.name = "any fp32 sums of " + std::string(info(operands).name), .depth = 1, .terms = 1, .rounding = Rounding::fp32_to_nearest, .operands = operands};
}
Instruction unknown::e4m3_sums() {
  return {.name = "any sums of e4m3", .depth = 16, .terms = 16, .aligned_bits = 13, .rounding = Rounding::e8m13_toward_zero, .operands = Format::e4m3fn};
}

const std::vector<Instruction>& known_instructions() {
  static const std::vector<Instruction> all = [] {
    std::vector<Instruction> known{sm_90::mma_bf16(), sm_90::mma_fp16(), sm_90::mma_fp16_fp16(), sm_90::mma_e4m3(), sm_90::wgmma_e4m3(), fp32_fma(),
                                   unknown::fp32_sums(Format::bf16), unknown::fp32_sums(Format::fp16), unknown::e4m3_sums()};
    for (int depth = 2; depth <= 64; depth *= 2) known.push_back(packed_fp16_fma(depth));
    return known;
  }();
  return all;
}

std::string describe(const Instruction& i) {
  std::string text = fmt::format("{} ({} a sum{}, {}", i.name, i.terms == 1 ? "1 product" : fmt::format("{} products", i.terms),
                                 i.aligned_bits ? fmt::format(" aligned to {} bits", i.aligned_bits) : "", name(i.rounding));
  if (i.accumulators > 1) text += fmt::format(", {} accumulators over {} k", i.accumulators, i.depth);
  const auto& known = known_instructions();
  if (std::ranges::find(known, i) == known.end()) text += fmt::format(", {} k of {} at a time", i.depth, info(i.operands).name);
  return text + ")";
}

namespace {

std::string describe(const Promotion& p) {
  std::string text;
  if (p.inner) text += fmt::format(", added to fp32 every {} k", p.inner);
  if (p.every) text += fmt::format(", added to fp32 every {} k", p.every);
  if (p.scale_roundings) text += fmt::format(" by a scale of {} rounding{}", p.scale_roundings, p.scale_roundings == 1 ? "" : "s");
  return p.fused ? text : text + " unfused";
}

std::string describe(const Chain& c) { return fmt::format("{}..{}{}", c.first, c.end, c.width ? fmt::format(":{}/{}", c.width, c.stride) : ""); }

/// The length of chains that follow each other from 0 on, all of it or less for the last; 0 if they do not.
int64_t common_length(const std::vector<Chain>& chains) {
  const int64_t length = chains.front().end;
  int64_t at = 0;
  for (const Chain& c : chains) {
    const bool last = &c == &chains.back();
    if (c.width || c.stride || c.first != at || (last ? c.end - at > length : c.end - at != length)) return 0;
    at = c.end;
  }
  return length;
}

std::string describe(const std::vector<Chain>& chains) {
  if (const int64_t length = common_length(chains)) return chains.size() == 1 ? ", ascending k" : fmt::format(", {} chains of {} k", chains.size(), length);
  if (chains.size() == 1 && chains.front() == Chain{}) return ", ascending k";   // no k at all
  std::string text = ", chains";
  for (const Chain& c : chains) text += " " + describe(c);
  return text;
}

}  // namespace

std::string describe(const Dot& dot) {
  std::string text = describe(dot.instruction) + describe(dot.promotion);
  if (dot.chains.empty() && !dot.chains_of) return text + ", in an undeclared order";
  text += dot.chains_of ? ", chains by row and column" : describe(dot.chains);
  const Combination& c = dot.combination;
  if (!dot.chains_of && dot.chains.size() == 1 && c == Combination{}) return text;
  if (c.part != Format::fp32) text += fmt::format(" each rounded to {}", info(c.part).name);
  text += fmt::format(", added in {} {}", info(c.sum).name, c.ascending ? "in order" : "in any order");
  if (c.depth) text += fmt::format(" of depth {}", c.depth);
  if (c.together > 1) text += fmt::format(", first {} by {}", c.together, c.together);
  return c.into_output ? text + ", the last in the result" : text;
}

}  // namespace assay
