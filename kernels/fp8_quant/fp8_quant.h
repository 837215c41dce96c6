// Quantisers of activations to FP8 E4M3 (448 the largest value, no infinity): a BF16 or FP16 matrix to codes and scales, x ~ code * scale.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/export.h"

enum fp8_quant_type { fp8_quant_bf16 = 0, fp8_quant_fp16 = 1 };  // of x

// What all of them share. x: `rows` rows (tokens) of d elements of `type`, x_stride elements apart; y: rows of d one-byte codes, y_stride
// apart. Arithmetic is FP32, every operation rounded to nearest once, in this order, for every shape, alignment and stride:
//
//   amax = largest |x|                            exact, in no order; a NaN does not count
//   code = e4m3(q)                                one rounding, to nearest even; beyond 448, and infinite, q becomes 448 with q's sign;
//                                                 zeros keep their sign; what q is, and the code of a NaN q, stands at each function
//
// y must not overlap another operand. Bases need the alignment of an element only; 16-byte loads and 8-byte stores are used where x is
// 16-byte and y 8-byte aligned and, for more than one row, both strides are multiples of 8. Any d; a last partial chunk of 8 is handled.
//
// cudaErrorInvalidValue before anything is launched: rows or d negative, rows > 2^31 - 4, d > 2^30, a stride smaller than its row, a span
// beyond 2^63 - 1 bytes, an unknown type, or, while rows and d are both positive, a null or misaligned pointer. rows == 0 or d == 0:
// cudaSuccess, no launch, and nothing is written, a scale included. Otherwise what the first failing launch returned.

// One given scale: q = fmul_rn(x, fdiv_rn(1, scale[0])). NaN: +448.
// Any scale is taken as it is: a negative one turns signs, the reciprocal of 0 (and of what is below 2^-128) is infinite, so that 0 / 0
// becomes NaN, and that of infinity 0.
ASSAY_EXPORT cudaError_t fp8_quant_static(uint8_t* y, int64_t y_stride, const void* x, int64_t x_stride, const float* scale, int64_t rows,
                                          int64_t d, int type, cudaStream_t stream);

// One scale for all rows: scale[0] = fdiv_rn(amax, 448), without a floor; q = fmul_rn(x, fdiv_rn(1, scale[0])). NaN: +448.
// All zeros give scale 0 and 0 * infinity = NaN everywhere; one infinity gives scale infinity, and reciprocal 0.
// Three launches: one clears the scale, one raises it to each block's fdiv_rn(amax, 448) by an integer atomicMax of its bits (division
// rounds monotonically, so this is the quotient of the whole amax, whatever the order), one quantises.
ASSAY_EXPORT cudaError_t fp8_quant_tensor(uint8_t* y, int64_t y_stride, float* scale, const void* x, int64_t x_stride, int64_t rows,
                                          int64_t d, int type, cudaStream_t stream);

// One scale a row: scale[r] = max(fdiv_rn(min(amax, scale_ub[0]), 448), 1 / (448 * 512)); q = fdiv_rn(x, scale[r]). NaN: +448.
// scale_ub bounds amax, not the scale; null: no bound. min and max drop a NaN. A row of up to 16384 elements is read once.
ASSAY_EXPORT cudaError_t fp8_quant_token(uint8_t* y, int64_t y_stride, float* scale, const void* x, int64_t x_stride, const float* scale_ub,
                                         int64_t rows, int64_t d, int type, cudaStream_t stream);

// One scale for each `group` elements of a row: s = fdiv_rn(max(amax, eps), 448); q = fdiv_rn(x, scale). NaN: -448.
// The scale of group g of row r goes to scale[r * row_stride + g * group_stride]: (groups, 1) is row-major, (1, rows rounded up to a
// multiple of 4) is what TMA reads of a blockwise GEMM's operand; elements between are left alone. power_of_two == 0: scale = s. Else the
// smallest power of two that is not below max(s, 1e-10), from the bits of s (infinity stays): UE8M0 as FP32.
// Also cudaErrorInvalidValue: group not a positive multiple of 8 that divides d, eps negative or not finite, or, where there is something
// to do, a stride of scale below 1 or strides for which two scales meet or the span of all is beyond 2^63 - 1 bytes.
// A group of up to 256 elements is read once.
ASSAY_EXPORT cudaError_t fp8_quant_group(uint8_t* y, int64_t y_stride, float* scale, int64_t row_stride, int64_t group_stride,
                                         const void* x, int64_t x_stride, int64_t rows, int64_t d, int64_t group, float eps,
                                         int power_of_two, int type, cudaStream_t stream);

// fp8_quant_group with power_of_two, its scales as exponent bytes (UE8M0; infinity is 255): byte g % 4 of word scale[g / 4 * R + r] belongs
// to group g of row r, R = rows rounded up to a multiple of 4. Bytes of absent groups are written as zeros, and so are the words of the
// R - rows padding rows, but for those after the last word: the array ends with rows + (W - 1) * R words, W = ceil(groups / 4).
ASSAY_EXPORT cudaError_t fp8_quant_group_packed(uint8_t* y, int64_t y_stride, uint32_t* scale, const void* x, int64_t x_stride,
                                                int64_t rows, int64_t d, int64_t group, float eps, int type, cudaStream_t stream);
