// lop3: any bitwise function of three words in one instruction.
#pragma once

#include "kernels/launch.h"

namespace assay {

// The table of a function f is f(0xf0, 0xcc, 0xaa), e.g. of (a & b) | c: kAndOr (PTX ISA, lop3).
inline constexpr int kAndOr = (0xf0 & 0xcc) | 0xaa;

#ifdef __CUDACC__

template <int kTable>
__device__ __forceinline__ std::uint32_t lop3(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  static_assert(0 <= kTable && kTable < 256, "lop3: a table has eight bits");
  std::uint32_t result;
  asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(result) : "r"(a), "r"(b), "r"(c), "n"(kTable));
  return result;
}

#else

// Bit 4a + 2b + c of the table is the value for the bits a, b, c.
template <int kTable>
std::uint32_t lop3(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  static_assert(0 <= kTable && kTable < 256, "lop3: a table has eight bits");
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 8; ++i)
    if (kTable >> i & 1) result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return result;
}

#endif

}  // namespace assay
