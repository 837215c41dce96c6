// Sums and maxima over a warp. Sums have a declared order: butterfly exchanges at distances kWidth/2, ..., 2, 1. Addition commutes, so
// every lane ends with the same bits, and each term passes log2(kWidth) roundings.
#pragma once

namespace assay {

// All 32 lanes must call. Lanes are summed within aligned groups of kWidth.
template <int kWidth = 32>
__device__ __forceinline__ float warp_sum(float value) {
#pragma unroll
  for (int distance = kWidth / 2; distance > 0; distance /= 2) value = __fadd_rn(value, __shfl_xor_sync(0xffffffffu, value, distance));
  return value;
}

// The largest of values none of which is NaN or -0: exact, so the order is nobody's business. As above in all else.
template <int kWidth = 32>
__device__ __forceinline__ float warp_max(float value) {
#pragma unroll
  for (int distance = kWidth / 2; distance > 0; distance /= 2) value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, distance));
  return value;
}

}  // namespace assay
