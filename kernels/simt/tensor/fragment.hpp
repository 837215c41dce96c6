// Which element of a matrix each register of a lane holds (PTX ISA, "Matrix Fragments for mma.m16n8k*" and "Register Fragments for
// wgmma.mma_async"): 16 rows of A, one or more groups of 8 columns of B and of the accumulators. A wgmma is four such warps.
#pragma once

#include "kernels/simt/tensor/parameters.hpp"

namespace simt::tensor {

// A lane's registers of A and B hold `packed` elements each: 4 of 8 bits, 2 of 16 bits, 1 of 32 bits, along k.
struct Place {
  int outer;  // the row of A, the column of B or of the accumulators
  int k;      // for accumulators: the row
};

SIMT_BOTH Place place_in_a(int packed, int lane, int index, int element) {
  return {lane / 4 + index % 2 * 8, (lane % 4 + index / 2 * 4) * packed + element};
}

SIMT_BOTH Place place_in_b(int packed, int lane, int index, int element) { return {lane / 4, (lane % 4 + index * 4) * packed + element}; }

// Of accumulator `index` of a lane, counted in elements, two of FP16 in a register.
SIMT_BOTH Place place_in_c(int lane, int index) { return {index / 4 * 8 + lane % 4 * 2 + index % 2, lane / 4 + index / 2 % 2 * 8}; }

}  // namespace simt::tensor
