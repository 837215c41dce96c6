// D = A*B + C for a tile of 16 rows, bit for bit what dot.hpp says, at more than a thousand million products a second and core.
//
// Ordinary operands go through 8 or 16 lanes at a time (lanes.hpp); an output whose row, column or addend holds a special value or an
// exponent far from 0 is computed by the scalar model. Which code runs depends on the processor, what it answers does not.
#pragma once

#include "kernels/simt/tensor/parameters.hpp"

namespace simt::tensor {

constexpr int kRows = 16;
constexpr int kMaxDepth = 32;    // products of an output in one instruction
constexpr int kMaxColumns = 32;  // that the fast path takes at once: its operands must fit the stack of an emulated thread

// Operands are codes, one a word. `columns` is a multiple of 8, `k` of 8 and at most kMaxDepth; d may be c.
struct Tile {
  int columns = 0;
  int k = 0;
  const std::uint32_t* a = nullptr;  // a[i * kRows + row]
  const std::uint32_t* b = nullptr;  // b[column * k + i]
  const std::uint32_t* c = nullptr;  // c[column * kRows + row]
  std::uint32_t* d = nullptr;        // like c
};

enum class Path : std::uint8_t { scalar, avx2, avx512 };

// The fastest that this processor has.
Path best_path();

void multiply(const Parameters& parameters, const Tile& tile, Path path = best_path());

// s8 or u8 codes, one a word, into s32.
void multiply_integers(bool a_signed, bool b_signed, const Tile& tile);

}  // namespace simt::tensor
