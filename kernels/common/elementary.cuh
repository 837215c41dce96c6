// tanh and erf in FP32 as kernels of this project compute them: the same bits on the GPU and in the emulator, because everything but
// exp2f is an explicit IEEE operation, which contraction cannot touch, and exp2f is ex2.approx, whose bits the emulator has.
//
// Errors for all finite x, in U = 2^-24 relative to the exact value (n U are at most n ulp), with FTZ off:
//   portable_tanh   3.34 U            Fn{.function = "portable_tanh", .relative = 3.34 * 0x1p-24}
//   portable_erf    2.16 U + 2^-150   Fn{.function = "portable_erf", .relative = 2.16 * 0x1p-24}, results below 2^-126 to 2^-150
// Both are odd in every bit (-0 gives -0), keep NaN, give +-1 for +-Inf, and never exceed 1 in magnitude.
//
// The bounds add, without cancellation, the first-order error of every operation (a rounding is U of its result), the truncation of the
// polynomial with its coefficients as rounded, and what the PTX ISA allows ex2.approx (2 ulp from the correctly rounded value: 5 U); the
// largest sums stand at each function. elementary_fit.py fits the coefficients and evaluates the bounds; a test holds all 2^32 arguments
// against them.
#pragma once

#include "kernels/launch.h"

namespace assay {

// coefficients[0] + t (coefficients[1] + t (...)), fused, from the innermost term outwards.
template <int kTerms>
__device__ __forceinline__ float fused_polynomial(float t, const float (&coefficients)[kTerms]) {
  float value = coefficients[kTerms - 1];
#pragma unroll
  for (int i = kTerms - 2; i >= 0; --i) value = __fmaf_rn(value, t, coefficients[i]);
  return value;
}

// |x| < 1: a + a q with q = a^2 P(a^2); truncation 0.08, evaluation of a q 1.36, last rounding 1: 2.43 U.
// else:    1 - t with t = 2 / (e + 1), e = 2^RN(2 log2(e) a). e is off by 5 U (ex2) and 1.224 * 2 a U (0.224: the constant, 1: the
//          product), t by e / (e + 1) of that and 2 U (sum, quotient); at a = 1, the worst place, 2.04 U absolute, last rounding
//          0.5: 2.55 U absolute, 3.34 U relative.
__device__ __forceinline__ float portable_tanh(float x) {
  constexpr float kP[] = {-0x1.55553cp-2f, 0x1.110be4p-3f, -0x1.b9623cp-5f, 0x1.6009cp-6f,
                          -0x1.04606ap-7f, 0x1.2da1ep-9f,  -0x1.77d222p-12f};
  constexpr float kTwoLog2E = 0x1.715476p+1f;
  const float a = fabsf(x);
  const float u = __fmul_rn(a, a);
  const float small = __fmaf_rn(a, __fmul_rn(u, fused_polynomial(u, kP)), a);
  const float large = __fsub_rn(1.0f, __fdiv_rn(2.0f, __fadd_rn(exp2f(__fmul_rn(a, kTwoLog2E)), 1.0f)));
  return copysignf(a < 1.0f ? small : large, x);  // NaN takes the second
}

// |x| < 1: a + a Q(a^2); truncation 0.03, evaluation of a Q 1.15, last rounding 1: 2.16 U. A subnormal result rounds once, 2^-150.
// else:    1 - 2^P(t), P(t) ~ log2 erfc(1 + t), t = min(a, 4) - 1 exact (erfc(4) < 2^-25: from there the result is 1). Truncation 0.10,
//          roundings of P times erfc 0.30, ex2 5 erfc, last rounding 0.5; at a = 1, the worst place, 1.66 U absolute, 1.97 U relative.
__device__ __forceinline__ float portable_erf(float x) {
  constexpr float kQ[] = {0x1.06eba8p-3f, -0x1.81273ep-2f,  0x1.ce2ce6p-4f, -0x1.b7f71ap-6f,
                          0x1.53f224p-8f, -0x1.a3515ep-11f, 0x1.4771fcp-14f};
  constexpr float kLog2Erfc[] = {-0x1.558eaep+1f, -0x1.e75306p+1f, -0x1.37666ap+0f, -0x1.e8d6f4p-5f,
                                 0x1.c733d4p-7f,  -0x1.31643cp-9f, 0x1.7d0f3ap-13f};
  const float a = fabsf(x);
  const float small = __fmaf_rn(a, fused_polynomial(__fmul_rn(a, a), kQ), a);
  const float t = __fsub_rn(a > 4.0f ? 4.0f : a, 1.0f);
  const float large = __fsub_rn(1.0f, exp2f(fused_polynomial(t, kLog2Erfc)));
  return copysignf(a < 1.0f ? small : large, x);  // NaN takes the second
}

}  // namespace assay
