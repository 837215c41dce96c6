// From an instruction's types to the row of the model.
#pragma once

#include "kernels/simt/tensor/api.hpp"
#include "kernels/simt/tensor/matrix.hpp"

namespace simt {

inline bool is_integer(Operand type) { return type == Operand::s8 || type == Operand::u8; }

// Elements in a register.
inline int packed(Operand type) {
  switch (type) {
    case Operand::tf32: return 1;
    case Operand::bf16:
    case Operand::fp16: return 2;
    case Operand::e4m3:
    case Operand::e5m2:
    case Operand::s8:
    case Operand::u8: return 4;
  }
  return 0;
}

// Code `element` of a register.
inline std::uint32_t unpack(int packed, std::uint32_t word, int element) {
  const int bits = 32 / packed;
  return packed == 1 ? word : word >> (bits * element) & ((1u << bits) - 1);
}

// D = A*B + C with sm_90's arithmetic.
void multiply_tile(tensor::Family family, Operand a, Operand b, Result result, const tensor::Tile& tile);

}  // namespace simt
