#include "kernels/launch.h"

#include "kernels/w8a16_fp8_gemm/w8a16_fp8_gemm.h"

#include "kernels/marlin/launch.cuh"

namespace assay {
namespace {

// An E4M3 code whose sign and seven other bits are moved to where T has its sign, the low bits of its exponent and the high ones of its
// fraction is the code's value times 2^-8 in FP16 and times 2^-120 in BF16, subnormal codes too: the formats differ in bias alone. The
// product with the inverse is exact. The two NaN codes are no exception to it and read +-480.
template <class T>
struct Shift;
template <>
struct Shift<__half> {
  static constexpr int kBits = 1;
  static constexpr uint32_t kMask = 0x3f803f80u, kInverse = 0x5c005c00u;  // 2^8
};
template <>
struct Shift<__nv_bfloat16> {
  static constexpr int kBits = 4;
  static constexpr uint32_t kMask = 0x07f007f0u, kInverse = 0x7b807b80u;  // 2^120
};

template <class T>
struct E4m3 {
  using Element = T;
  static constexpr int kWords = 8;  // of a thread: 32 codes of a block of 16 k and 64 columns
  static constexpr int kSteps = 2;  // blocks of a warp in a slice of 64 k
  static constexpr int kLeastGroup = 128;
  static constexpr bool kActOrders = false;
  static constexpr uint32_t kZero = 0;

  static __device__ __forceinline__ void read_zeros(const uint32_t*, int, marlin::Columns&) {}  // there are none

  // The values of the codes in the upper bytes of both halves.
  static __device__ __forceinline__ uint32_t values(uint32_t codes) {
    const uint32_t shifted = lop3<kAndOr>(codes >> Shift<T>::kBits, Shift<T>::kMask, codes & 0x80008000u);
    return marlin::multiply_pairs<T>(shifted, Shift<T>::kInverse);
  }

  // Word 2c is column c' = 16c + lane/4, word 2c+1 column c' + 8; bytes 0..3 are rows r, r+8, r+1, r+9. The product of value and scale is
  // rounded to T.
  static __device__ __forceinline__ void decode(const uint32_t (&words)[kWords], int c, const marlin::Scaling<1>& s, uint32_t (&w)[4]) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const uint32_t word = words[2 * c + i], scale = s.scale[0][2 * c + i];
      w[i] = marlin::multiply_pairs<T>(values(word << 8), scale);
      w[i + 2] = marlin::multiply_pairs<T>(values(word), scale);
    }
  }
};

static_assert(marlin::kSliceK<E4m3<__half>> == kW8a16Fp8SliceK);

}  // namespace
}  // namespace assay

cudaError_t w8a16_fp8_gemm(void* y, int64_t y_stride, const void* x, int64_t x_stride, const uint32_t* w, const void* scale,
                           void* workspace, int64_t workspace_bytes, int64_t m, int64_t n, int64_t k, int64_t group, int64_t sms,
                           int element, cudaStream_t stream) {
  using namespace assay;
  if (m < 0 || n < 0 || k <= 0 || k % 16 != 0 || n % 64 != 0 || sms <= 0 || (element != kW8a16Bf16 && element != kW8a16Fp16))
    return cudaErrorInvalidValue;
  if (group != k && (group != 128 || k % group != 0)) return cudaErrorInvalidValue;
  if (m == 0 || n == 0) return cudaSuccess;
  const marlin::Arguments a{y, y_stride, x, x_stride, w, scale, nullptr, nullptr, nullptr, workspace, workspace_bytes, m, n, k, group, sms};
  return element == kW8a16Bf16 ? marlin::run<E4m3<__nv_bfloat16>>(a, stream) : marlin::run<E4m3<__half>>(a, stream);
}
