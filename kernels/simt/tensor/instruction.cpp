#include "kernels/simt/tensor/instruction.hpp"

#include <stdexcept>

namespace simt {
namespace {

tensor::Input input(Operand type) {
  switch (type) {
    case Operand::bf16: return tensor::Input::bf16;
    case Operand::fp16: return tensor::Input::fp16;
    case Operand::tf32: return tensor::Input::tf32;
    case Operand::e4m3: return tensor::Input::e4m3;
    case Operand::e5m2: return tensor::Input::e5m2;
    case Operand::s8:
    case Operand::u8: break;
  }
  throw std::logic_error("integers have no row in the table of tensor-core parameters");
}

const tensor::Parameters& row(tensor::Family family, tensor::Input input, tensor::Accumulator accumulator) {
  for (const tensor::Parameters& row : tensor::kParameters)
    if (row.architecture == tensor::Architecture::sm_90 && row.family == family && row.input == input && row.accumulator == accumulator)
      return row;
  throw std::logic_error("an instruction without a row in the table of tensor-core parameters");
}

}  // namespace

void multiply_tile(tensor::Family family, Operand a, Operand b, Result result, const tensor::Tile& tile) {
  if (is_integer(a)) return multiply_integers(a == Operand::s8, b == Operand::s8, tile);
  multiply(row(family, input(a), result == Result::fp16 ? tensor::Accumulator::fp16 : tensor::Accumulator::fp32), tile);
}

}  // namespace simt
