// What is assumed of implementations that declare nothing: the widest stages that FP32 code with the toolkit's functions, or with the
// card's approximations of them (-use_fast_math), can have. u = 2^-24.
#pragma once
#include "oracles/arithmetic/arithmetic.hpp"

namespace assay::assumed {

/// A quotient: __fdividef and div.approx 2 ulp (CUDA guide, PTX ISA), 2.5 * 2^-23 = 5 u; rcp.approx (1 ulp: 3 u) times the dividend is 4 u,
/// by a rounded constant 2 u, IEEE division u.
inline Ops quotient() { return {.count = 5}; }

/// A product of three factors, of which this slot is the first product: two roundings, so that it covers every association, and is never
/// taken for exact because the first product happens to be.
inline Ops first_of_two_products() { return {.count = 2}; }

/// __expf. expf (1 ulp), and exp2f or ex2.approx (2 ulp) of a rounded x * log2(e) err by no more.
inline Fn exp() { return gpu::fast_expf(); }

/// sqrt.approx (2^-23) and a quotient (5 u, and what rounds them together); rsqrtf has 5 u, 1.0f / sqrtf(x) 2 u.
inline Fn rsqrt() { return {.function = "1 / sqrt", .relative = 8 * 0x1p-24, .source = "sqrt.approx and an approximate division"}; }

/// sinf and cosf, in radians of any size (CUDA guide: 2 ulp). __sinf and __cosf have no such bound: they have to be declared.
inline Fn sin_cos() { return {.function = "sinf, cosf", .relative = 5 * 0x1p-24, .source = "CUDA guide: 2 ulp"}; }

/// log2f (1 ulp) and lg2.approx (2^-22 absolute near 1, else 2 ulp or so; PTX ISA): 8 u of the logarithm.
inline Fn log2() { return {.function = "ceil(log2 s)", .relative = 8 * 0x1p-24, .source = "log2f, lg2.approx"}; }

/// A sum of `terms` terms in any order: none passes more than terms - 1 additions.
inline Sum sum(int64_t terms) { return {.depth = terms > 1 ? terms - 1 : 0, .order = "any order"}; }

}  // namespace assay::assumed
