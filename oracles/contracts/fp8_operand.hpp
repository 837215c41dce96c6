// Operands of FP8 products: E4M3 codes and their FP32 scales.
#pragma once
#include "oracles/contract.hpp"

namespace assay {

/// Codes of a, or of b; parameters k and offset. 256 and 2^-6 are the largest and the smallest power of two that is normal.
inline TensorSpec fp8_operand(const Parameters& p, std::string name, Meaning meaning) {
  return {.name = std::move(name), .format = Format::e4m3fn, .meaning = meaning, .offset = p.whole("offset"), .reduction = p.whole("k"), .huge = 256, .tiny = 0x1p-6};
}

inline TensorSpec fp8_scales_spec(std::string name) {
  return {.name = std::move(name), .format = Format::fp32, .meaning = Meaning::scale, .huge = 0x1p20, .tiny = 0x1p-20};
}

}  // namespace assay
