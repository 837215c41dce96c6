// What a declared dot product gives, bit for bit: the declaration of oracles/arithmetic/dot.hpp carried out step by step on the host. It
// decides no verdict; it says which declaration an unknown kernel's bits agree with. replay_test.cpp holds it against the bit model of the
// emulator and, through the kernels of this project, against what they declare.
//
// Every value is a double that the format in question holds. Products of operands (at most 12 bits each) and the sums of aligned terms are
// exact in FP64; each rounding is made once.
#pragma once
#include <functional>
#include <span>

#include "oracles/arithmetic/dot.hpp"

namespace assay::properties {

/// One dot product: elements by k, and the scale of element k for promotions (null: none). `first_scale` is multiplied before it, in FP32,
/// where two are not multiplied with each other. Finite values.
struct Terms {
  std::span<const double> a, b;
  std::function<float(int64_t k)> scale{}, first_scale{};
};

/// A main loop as a kernel might have it. `main` says what no declaration can: a format other than FP32 that promoted sums are kept in.
struct Loop {
  Dot dot;
  Format main = Format::fp32;
};

/// The result before the epilogue, a value of the format that the last addition is rounded to. The dot is one element's (Dot::at).
/// std::invalid_argument for a dot whose order is not declared.
double replay(const Loop&, const Terms&);

/// One fused sum with an accumulator, as an instruction makes it: `a` and `b` are at most `terms` long; where nothing is aligned
/// (aligned_bits = 0), one long.
double fused_sum(const Instruction&, double accumulator, std::span<const double> a, std::span<const double> b);

/// x rounded to nearest even, once, in a floating-point format; infinity beyond it. NaN and infinities stay.
double rounded(Format, double x);

/// a * b + c rounded once, of operands whose product is exact in FP64.
double fused_multiply_add(Format, double a, double b, double c);

}  // namespace assay::properties
