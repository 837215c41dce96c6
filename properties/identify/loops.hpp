// Main loops that have an order of summation in common: what the order leaves open is how each sum is rounded.
#pragma once
#include "properties/identify/order.hpp"
#include "properties/identify/replay.hpp"

namespace assay::properties {

/// The order alone: instruction, chains and promotions, every rounding as FP32 has it.
struct Skeleton {
  Dot dot;
  bool fused_multiply_adds = false;  // one product a sum
};

/// "3 chains, promoted every 128 k"
std::string form_of(const Dot&);
/// "16 products a sum, 3 chains, ...".
std::string words(const Skeleton&);

/// What the order may be declared as, the likelier form first. Promotion in FP32 and FP32 parts added in order are the same function;
/// `split` says that the case asks for parts, which then come first. Empty: no declaration of this kind has such an order.
std::vector<Skeleton> skeletons(const Listed&, int64_t k, Format operands, bool split);

/// What distinguishes loops of one order; the names of the choices below.
std::vector<std::string> loop_dimensions();

struct LoopChoice {
  Loop loop;
  std::vector<std::string> choices;  // one for each of loop_dimensions()
};

/// Every rounding that a loop of this order may have: alignment from 8 to 30 bits, each kind of accumulator, and FP32, BF16 and FP16 for
/// what is promoted and combined. Of forms that are the same function only the first.
std::vector<LoopChoice> loops(const std::vector<Skeleton>&);

}  // namespace assay::properties
