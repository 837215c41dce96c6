// Element conversions from FP32 to the 16- and 8-bit formats, by the CUDA Toolkit's own functions.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/export.h"

enum convert_target {
  convert_to_bf16 = 0,           // __float2bfloat16_rn
  convert_to_fp16 = 1,           // __float2half_rn
  convert_to_e4m3_satfinite = 2, // __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3): beyond 448 and Inf become 448
  convert_to_e4m3_nosat = 3,     // __NV_NOSAT: values that round beyond 448, and Inf, become NaN
  convert_to_e5m2_satfinite = 4, // __NV_E5M2: beyond 57344 and Inf become 57344
  convert_to_e5m2_nosat = 5,     // values that round beyond 57344 become Inf
};

// out[i] = the code of in[i] in the target format for i in [0, n), rounded to nearest even once, subnormals kept, NaN to the format's NaN
// (its code and sign are the toolkit's choice). out holds n elements of 2 bytes (bf16, fp16) or 1 byte (e4m3, e5m2).
//
// out must not overlap in. Bases need the alignment of an element only; vector accesses are used when `in` is 16-byte aligned and `out` is
// aligned to eight of its elements. Element-wise: an element's code depends on its value alone.
//
// cudaErrorInvalidValue before anything is launched: an unknown target, n negative, n > 2^42, or a null or misaligned pointer with n > 0.
// n == 0: cudaSuccess, no launch. Otherwise what the launch returned.
ASSAY_EXPORT cudaError_t convert(void* out, const float* in, int64_t n, int target, cudaStream_t stream);
