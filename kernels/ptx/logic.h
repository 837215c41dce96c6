// Bitwise operations of three operands in one instruction, also where two of them are constants.
#pragma once

#include "kernels/launch.h"

namespace assay {

// (a & mask) | bits.
#ifdef __CUDACC__
__device__ __forceinline__ std::uint32_t and_or(std::uint32_t a, std::uint32_t mask, std::uint32_t bits) {
  std::uint32_t result;  // 0xea is the truth table; volatile would keep unused ones
  asm("lop3.b32 %0, %1, %2, %3, 0xea;" : "=r"(result) : "r"(a), "r"(mask), "r"(bits));
  return result;
}
#else
inline std::uint32_t and_or(std::uint32_t a, std::uint32_t mask, std::uint32_t bits) { return (a & mask) | bits; }
#endif

}  // namespace assay
