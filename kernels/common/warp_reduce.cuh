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

// The sums of kCount values (a power of two), each with the bits of warp_sum: lane l ends with that of value l / (32 / kCount). Two lanes
// that have exchanged go on with half of the values each, so four sums take six exchanges instead of twenty.
template <int kCount>
__device__ __forceinline__ float warp_sums(const float (&values)[kCount]) {
  static_assert(kCount > 0 && kCount <= 32 && (kCount & (kCount - 1)) == 0, "a power of two");
  float left[kCount];
#pragma unroll
  for (int i = 0; i < kCount; ++i) left[i] = values[i];
  int distance = 16;
#pragma unroll
  for (int half = kCount / 2; half > 0; half /= 2, distance /= 2) {
    const bool is_upper = threadIdx.x & distance;
#pragma unroll
    for (int i = 0; i < half; ++i) {
      const float given = is_upper ? left[i] : left[half + i], kept = is_upper ? left[half + i] : left[i];
      left[i] = __fadd_rn(kept, __shfl_xor_sync(0xffffffffu, given, distance));
    }
  }
#pragma unroll
  for (; distance > 0; distance /= 2) left[0] = __fadd_rn(left[0], __shfl_xor_sync(0xffffffffu, left[0], distance));
  return left[0];
}

// The largest of values none of which is NaN or -0: exact, so the order is nobody's business. As above in all else.
template <int kWidth = 32>
__device__ __forceinline__ float warp_max(float value) {
#pragma unroll
  for (int distance = kWidth / 2; distance > 0; distance /= 2) value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, distance));
  return value;
}

}  // namespace assay
