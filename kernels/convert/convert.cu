#include "kernels/launch.h"

#include "kernels/convert/convert.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "kernels/common/arguments.h"

namespace assay {
namespace {

constexpr int kThreads = 256;
constexpr int kPerThread = 8;
constexpr int64_t kMaxElements = int64_t{1} << 42;  // keeps the grid below 2^31 blocks

// One code per format: its storage type and the toolkit's conversion.
struct ToBf16 {
  using Code = uint16_t;
  __device__ static Code encode(float value) { return __bfloat16_as_ushort(__float2bfloat16_rn(value)); }
};
struct ToFp16 {
  using Code = uint16_t;
  __device__ static Code encode(float value) { return __half_as_ushort(__float2half_rn(value)); }
};
template <__nv_saturation_t kSaturation, __nv_fp8_interpretation_t kFormat>
struct ToFp8 {
  using Code = uint8_t;
  __device__ static Code encode(float value) { return __nv_cvt_float_to_fp8(value, kSaturation, kFormat); }
};

// Eight codes, written by one access.
template <class Code>
struct alignas(kPerThread * sizeof(Code)) Codes {
  Code code[kPerThread];
};

template <class Target, bool kVector>
__global__ void __launch_bounds__(kThreads) encode_all(typename Target::Code* __restrict__ out, const float* __restrict__ in, int64_t n) {
  using Code = typename Target::Code;
  const int64_t first = (static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x) * kPerThread;
  if (kVector && n - first >= kPerThread) {
    // A whole group of eight.
    const float4 low = reinterpret_cast<const float4*>(in + first)[0];
    const float4 high = reinterpret_cast<const float4*>(in + first)[1];
    const Codes<Code> codes{{Target::encode(low.x), Target::encode(low.y), Target::encode(low.z), Target::encode(low.w),
                             Target::encode(high.x), Target::encode(high.y), Target::encode(high.z), Target::encode(high.w)}};
    *reinterpret_cast<Codes<Code>*>(out + first) = codes;
  } else {
    // The end, or pointers that allow no vectors.
    for (int64_t i = first; i < n && i < first + kPerThread; ++i) out[i] = Target::encode(in[i]);
  }
}

template <class Target>
cudaError_t launch_conversion(void* out, const float* in, int64_t n, cudaStream_t stream) {
  using Code = typename Target::Code;
  Code* codes = static_cast<Code*>(out);
  if (!is_usable(codes) || !is_usable(in)) return cudaErrorInvalidValue;
  const bool vector = is_aligned(in, 16) && is_aligned(codes, alignof(Codes<Code>));
  const auto blocks = static_cast<unsigned>(ceil_divide(n, kThreads * kPerThread));
  return launch(vector ? encode_all<Target, true> : encode_all<Target, false>, dim3(blocks), dim3(kThreads), 0, stream, codes, in, n);
}

}  // namespace
}  // namespace assay

cudaError_t convert(void* out, const float* in, int64_t n, int target, cudaStream_t stream) {
  using namespace assay;
  if (n < 0 || n > kMaxElements || target < convert_to_bf16 || target > convert_to_e5m2_nosat) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  switch (target) {
    case convert_to_bf16: return launch_conversion<ToBf16>(out, in, n, stream);
    case convert_to_fp16: return launch_conversion<ToFp16>(out, in, n, stream);
    case convert_to_e4m3_satfinite: return launch_conversion<ToFp8<__NV_SATFINITE, __NV_E4M3>>(out, in, n, stream);
    case convert_to_e4m3_nosat: return launch_conversion<ToFp8<__NV_NOSAT, __NV_E4M3>>(out, in, n, stream);
    case convert_to_e5m2_satfinite: return launch_conversion<ToFp8<__NV_SATFINITE, __NV_E5M2>>(out, in, n, stream);
    case convert_to_e5m2_nosat: return launch_conversion<ToFp8<__NV_NOSAT, __NV_E5M2>>(out, in, n, stream);
  }
  return cudaErrorInvalidValue;
}
