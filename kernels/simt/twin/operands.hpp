// Operands of the exercises, drawn by an integer hash, and the plain loop over matrices. Host code without CUDA's headers.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/simt/twin/exercise.hpp"

namespace simt::twin {

enum class Element { bf16, fp16, e4m3, s8 };
enum class Sum { fp32, fp16, s32 };
enum class Unit { mma_sync, wgmma };

constexpr int bytes_of(Element element) { return element == Element::bf16 || element == Element::fp16 ? 2 : 1; }

// Number i of a stream; every bit depends on all of both.
std::uint32_t draw(std::uint32_t stream, std::uint32_t i);

constexpr std::uint32_t kStreamA = 1, kStreamB = 2;

// Codes 0 .. count - 1 of a stream, as they lie in memory: finite numbers of many exponents, so that sums cut bits off, but none so large
// that FP16 sums of 128 products overflow.
std::vector<unsigned char> operand(Element element, std::uint32_t stream, int count);

// Row-major sums of A * B from zeros, instruction after instruction along k, by the scalar model. A is the matrix [row][k] of kStreamA, B
// is [column][k] of kStreamB or, row-major, [k][column].
struct Product {
  Unit unit;
  Element element;
  Sum sum;
  int rows, columns, k;
  bool row_major_b;
};
Words product(const Product& p);

}  // namespace simt::twin
