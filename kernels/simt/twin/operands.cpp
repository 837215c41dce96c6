#include "kernels/simt/twin/operands.hpp"

#include <algorithm>
#include <iterator>

#include "kernels/simt/tensor/dot.hpp"

namespace simt::twin {
namespace {

std::uint32_t code(Element element, std::uint32_t stream, int i) {
  const std::uint32_t bits = draw(stream, static_cast<std::uint32_t>(i));
  switch (element) {
    case Element::bf16: return (bits & 0x807f) | (120 + (bits >> 16) % 12) << 7;
    case Element::fp16: return (bits & 0x83ff) | (8 + (bits >> 16) % 8) << 10;
    case Element::e4m3: return (bits & 0x7f) == 0x7f ? bits & 0xfe : bits & 0xff;
    case Element::s8: break;
  }
  return bits & 0xff;
}

const tensor::Parameters& model(const Product& p) {
  const auto family = p.unit == Unit::wgmma ? tensor::Family::wgmma : tensor::Family::mma_sync;
  const auto input = p.element == Element::bf16   ? tensor::Input::bf16
                     : p.element == Element::fp16 ? tensor::Input::fp16
                                                  : tensor::Input::e4m3;
  const auto accumulator = p.sum == Sum::fp16 ? tensor::Accumulator::fp16 : tensor::Accumulator::fp32;
  return *std::find_if(std::begin(tensor::kParameters), std::end(tensor::kParameters), [&](const tensor::Parameters& row) {
    return row.architecture == tensor::Architecture::sm_90 && row.family == family && row.input == input && row.accumulator == accumulator;
  });
}

}  // namespace

std::uint32_t draw(std::uint32_t stream, std::uint32_t i) {
  std::uint32_t x = i * 0x9e3779b9u + stream * 0x85ebca6bu + 1;
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

std::vector<unsigned char> operand(Element element, std::uint32_t stream, int count) {
  std::vector<unsigned char> bytes;
  for (int i = 0; i < count; ++i) {
    const std::uint32_t bits = code(element, stream, i);
    bytes.push_back(static_cast<unsigned char>(bits));
    if (bytes_of(element) == 2) bytes.push_back(static_cast<unsigned char>(bits >> 8));
  }
  return bytes;
}

Words product(const Product& p) {
  const int depth = 32 / bytes_of(p.element);
  Words sums;
  for (int row = 0; row < p.rows; ++row)
    for (int column = 0; column < p.columns; ++column) {
      std::uint32_t sum = 0;
      for (int k = 0; k < p.k; k += depth) {
        const auto a = [&](int i) { return code(p.element, kStreamA, row * p.k + k + i); };
        const auto b = [&](int i) {
          return code(p.element, kStreamB, p.row_major_b ? (k + i) * p.columns + column : column * p.k + k + i);
        };
        sum = p.sum == Sum::s32 ? tensor::integer_dot(true, true, depth, a, b, sum) : tensor::dot(model(p), depth, a, b, sum);
      }
      sums.push_back(sum);
    }
  return sums;
}

}  // namespace simt::twin
