#include "kernels/launch.h"

#include "kernels/w4a16_gemm/w4a16_gemm.h"

#include "kernels/common/int4.cuh"
#include "kernels/marlin/launch.cuh"

namespace assay {
namespace {

template <class T>
struct Int4 {
  using Element = T;
  static constexpr int kWords = 4;  // of a thread: 32 codes of a block of 16 k and 64 columns
  static constexpr int kSteps = 4;  // blocks of a warp in a slice of 128 k
  static constexpr int kLeastGroup = 32;
  static constexpr bool kActOrders = true;
  static constexpr uint32_t kZero = Int4Traits<T>::kBase | 0x00080008u;  // without zero points: 8

  // A thread's eight zero points are one word: columns 2q and 2q + 1 of the eight in nibbles q and q + 4.
  static __device__ __forceinline__ void read_zeros(const uint32_t* run, int lane, marlin::Columns& columns) {
    const uint32_t zeros = run[lane / 4];
#pragma unroll
    for (int q = 0; q < 4; ++q) columns[q] = lop3<kAndOr>(zeros >> (4 * q), 0x000f000fu, Int4Traits<T>::kBase);
  }

  // Word c: nibbles 0 and 4 are rows r, r+1 of column c' = 16c + lane/4, nibbles 1 and 5 rows r+8, r+9; 2, 6 and 3, 7 the same of column
  // c' + 8. The difference of code and zero point is exact; its product with the scale is rounded to T.
  template <int kPairs>
  static __device__ __forceinline__ void decode(const uint32_t (&words)[kWords], int c, const marlin::Scaling<kPairs>& s,
                                                uint32_t (&w)[4]) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int column = 2 * c + i / 2, pair = kPairs == 1 ? 0 : i % 2;
      const uint32_t codes = lop3<kAndOr>(words[c] >> (4 * i), 0x000f000fu, Int4Traits<T>::kBase);
      w[i / 2 + i % 2 * 2] = marlin::multiply_pairs<T>(int4_subtract<T>(codes, s.zero[pair][column]), s.scale[pair][column]);
    }
  }
};

static_assert(marlin::kSliceK<Int4<__half>> == kW4a16SliceK);

}  // namespace
}  // namespace assay

cudaError_t w4a16_gemm(void* y, int64_t y_stride, const void* x, int64_t x_stride, const uint32_t* w, const void* scale,
                       const uint32_t* zeros, const int* perm, const int* g_idx, void* workspace, int64_t workspace_bytes, int64_t m,
                       int64_t n, int64_t k, int64_t group, int64_t sms, int element, cudaStream_t stream) {
  using namespace assay;
  if (m < 0 || n < 0 || k <= 0 || k % 16 != 0 || n % 64 != 0 || sms <= 0 || (element != kW4a16Bf16 && element != kW4a16Fp16))
    return cudaErrorInvalidValue;
  if (group != k && ((group != 32 && group != 64 && group != 128) || k % group != 0)) return cudaErrorInvalidValue;
  if (m == 0 || n == 0) return cudaSuccess;
  const marlin::Arguments a{y, y_stride, x, x_stride, w, scale, zeros, perm, g_idx, workspace, workspace_bytes, m, n, k, group, sms};
  return element == kW4a16Bf16 ? marlin::run<Int4<__nv_bfloat16>>(a, stream) : marlin::run<Int4<__half>>(a, stream);
}
