// The cosine and sine table of rotary position embeddings, FP32, from inverse frequencies.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/export.h"

// For each position p of `max_position` and i in [0, rot_dim/2), with a = p * inv_freq[i] in radians:
//
//   cache[p * rot_dim + i]             = float(cos(a))
//   cache[p * rot_dim + rot_dim/2 + i] = float(sin(a))
//
// a is exact: p has at most 24 bits and inv_freq 24, so their product fits a double. cos and sin are evaluated in double precision by this
// kernel's own arithmetic (no library function: the bits are fixed by the source) and rounded once to FP32, to nearest even.
//
// Domain: 0 <= inv_freq[i] <= 1 (base^(-2i/rot_dim) of any base >= 1) and p < 2^24. Outside it the values are unspecified.
//
// Error bound. Let v be the exact cosine or sine of a and v' the double before its rounding to FP32; u = 2^-53. In the domain
//
//   |v' - v| <= 3 u |v| + 2^-85            (the second term only where a > pi/4; p = 0 gives exactly 1 and 0)
//
// Derivation. The angle is reduced to r = a - n pi/2, n = the integer nearest a * fl(2/pi) (n <= 10680707 < 2^23.4), with pi/2 split in
// P1 (29 bits, a multiple of 2^-28), P2 (23 bits, a multiple of 2^-52) and P3 (53 bits); |pi/2 - P1 - P2 - P3| < 2^-109.
//   n          |fl(2/pi) - 2/pi| < 2^-54 moves the product by less than 2^-30, hence |r| <= pi/4 + 2^-29.
//   a - n P1   exact: n P1 has 53 bits, lies within a factor 2 of a (Sterbenz), both are multiples of 2^-48 (a > 1/2 has 48 bits).
//   .. - n P2  exact: n P2 has 47 bits, the difference is a multiple of 2^-52 below 1.
//   .. - n P3  one fused operation: u |r|, and n 2^-109 < 2^-85 for what the three parts leave out of pi/2.
// With z = fl(r^2), z <= Z = 0.61686, sin r = r + (r z) S(z) and cos r = 1 + z C(z): Taylor polynomials in Horner form, all fused.
//   sine, as multiples of u relative to |sin r|; |r / sin r| <= 1.1108:
//     reduction               r cot r <= 1                                                               1.000
//     S: coefficients and Horner steps, 2 u (1/6 + Z/120 + ...) = 0.344 u; z in it 0.006 u; times Z r    0.240
//     r z (two roundings)     2 u Z / 6 r                                                                0.229
//     last fused operation                                                                               1.000
//     truncation              r^19 / 19! is less than 2^-62 r                                            0.002    sum 2.471
//   cosine, as multiples of u; relative to cos r by the largest quotient, at r = pi/4 where cos r = 0.7071:
//     reduction               |r sin r| <= 0.5554
//     C: coefficients and Horner steps, u (1/2 + 2 Z/24 + ...) = 0.553 u; z in it 0.026 u; times Z       0.357
//     z (one rounding)        Z |C| <= 0.3085
//     last fused operation    half an ulp below 1                                                        0.500
//     truncation              r^18 / 18! is less than 2^-58.7                                           0.020    sum 1.741; / 0.7071: 2.463
// The remaining 0.5 u cover products of these terms (below 2^-100) and |r| exceeding pi/4 by 2^-29.
//
// inv_freq and cache need the alignment of a float. cudaErrorInvalidValue before anything is launched: max_position negative or > 2^24,
// rot_dim negative or odd, a span beyond 2^63 - 1 bytes, or a null or misaligned pointer while both sizes are positive.
// max_position == 0 or rot_dim == 0: cudaSuccess, no launch. Otherwise what the launch returned.
ASSAY_EXPORT cudaError_t rope_cache(float* cache, const float* inv_freq, int64_t max_position, int64_t rot_dim, cudaStream_t stream);
