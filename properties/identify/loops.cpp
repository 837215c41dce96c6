#include "properties/identify/loops.hpp"

#include <fmt/format.h>

namespace assay::properties {
namespace {

constexpr int kLeastAligned = 8, kMostAligned = 30;

constexpr Format kSums[] = {Format::fp32, Format::bf16, Format::fp16};

/// The ways to round what an instruction adds.
std::vector<Instruction> instructions(const Skeleton& s) {
  std::vector<Instruction> all;
  Instruction in = s.dot.instruction;
  if (s.fused_multiply_adds) {
    for (Rounding r : {Rounding::fp32_to_nearest, Rounding::fp16_to_nearest, Rounding::fp32_toward_zero})
      in.rounding = r, all.push_back(in);
    if (in.accumulators == 1) all.front().operands = Format::fp32;  // as any operands widened to it
    return all;
  }
  for (int bits = kLeastAligned; bits <= kMostAligned; bits++)
    for (Rounding r : {Rounding::fp32_toward_zero, Rounding::e8m13_toward_zero, Rounding::fp32_to_nearest, Rounding::fp16_to_nearest})
      in.aligned_bits = bits, in.rounding = r, all.push_back(in);
  return all;
}

/// The known instruction that it is, by name.
std::string name_of(Instruction in) {
  for (const Instruction& known : known_instructions()) {
    in.name = known.name;
    if (in == known) return known.name;
  }
  return in.terms == 1 ? "multiply-add" : "fused sum";
}

}  // namespace

std::string form_of(const Dot& d) {
  std::string text = d.chains.size() == 1 ? "one chain" : fmt::format("{} chains", d.chains.size());
  if (d.combination.together > 1) text += ", first two by two";
  if (d.promotion.inner)
    text += fmt::format(", promoted every {} k and again every {} k", d.promotion.inner, d.promotion.every);
  else if (d.promotion.every)
    text += fmt::format(", promoted every {} k", d.promotion.every);
  return text;
}

std::string words(const Skeleton& s) {
  const Instruction& in = s.dot.instruction;
  std::string text = in.terms == 1 ? "one product after the other" : fmt::format("{} products a sum", in.terms);
  if (in.accumulators == 2)
    text += fmt::format(", even and odd k of {} apart", in.depth);
  else if (!in.order.empty())
    text += fmt::format(", of {} neighbouring k", in.depth);
  return text + ", " + form_of(s.dot);
}

std::vector<std::string> loop_dimensions() {
  return {"alignment", "accumulator", "chains and promotion", "promoted sums", "parts", "sum of parts"};
}

std::vector<LoopChoice> loops(const std::vector<Skeleton>& all) {
  std::vector<LoopChoice> found;
  for (size_t i = 0; i < all.size(); i++)
    for (const Instruction& in : instructions(all[i]))
      for (Format main : kSums)
        for (Format part : kSums)
          for (Format sum : kSums) {
            Loop loop{all[i].dot, main};
            const bool promotes = loop.dot.promotion.every > 0, combines = loop.dot.chains.size() > 1;
            if ((!promotes && main != Format::fp32) || (!combines && (part != Format::fp32 || sum != Format::fp32))) continue;
            if (i > 0 && main == Format::fp32 && part == Format::fp32 && sum == Format::fp32) continue;  // as the first form
            loop.dot.instruction = in;
            loop.dot.instruction.name = name_of(in);
            loop.dot.combination.part = part, loop.dot.combination.sum = sum;
            auto word = [](bool has, Format f) { return std::string(has ? info(f).name : "none"); };
            found.push_back({loop,
                             {in.aligned_bits ? fmt::format("{} bits", in.aligned_bits) : "exact products", std::string(name(in.rounding)),
                              form_of(loop.dot), word(promotes, main), word(combines, part), word(combines, sum)}});
          }
  return found;
}

}  // namespace assay::properties
