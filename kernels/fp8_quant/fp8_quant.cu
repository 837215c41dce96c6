#include "kernels/launch.h"

#include "kernels/fp8_quant/fp8_quant.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/common/arguments.h"
#include "kernels/common/warp_reduce.cuh"
#include "kernels/fp8_quant/raw_chunk.cuh"

namespace assay {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int64_t kMaxRows = kMaxGridX - 3;      // a multiple of 4 that a grid holds
constexpr int64_t kMaxWidth = int64_t{1} << 30;  // so that offsets within a row are ints
constexpr int kMaxGridY = 65535;
constexpr int kMaxAmaxBlocks = 4096;                       // some for each multiprocessor; more would only queue for the atomic
constexpr float kMost = 448.0f;                            // the largest E4M3
constexpr float kLeastRowScale = 1.0f / (kMost * 512.0f);  // vLLM's min_scaling_factor
constexpr float kLeastPower = 1e-10f;                      // powers of two are at least this, as in vLLM's per_token_group_quant

struct Matrix {
  uint8_t* y;
  const void* x;
  int64_t y_stride, x_stride, rows;
  int d;

  template <class T>
  __device__ __forceinline__ const T* x_row(int64_t row) const {
    return static_cast<const T*>(x) + row * x_stride;
  }
  __device__ __forceinline__ uint8_t* y_row(int64_t row) const { return y + row * y_stride; }
};

template <class T>
__device__ __forceinline__ float larger(float amax, const RawChunk<T>& chunk) {
#pragma unroll
  for (int pair = 0; pair < kChunk / 2; ++pair) {
    const float2 values = widened(chunk, pair);
    amax = fmaxf(amax, fabsf(values.x));
    amax = fmaxf(amax, fabsf(values.y));
  }
  return amax;
}

// fminf and fmaxf drop a NaN: the one that comes first decides what becomes of it.
struct NanToMost {
  __device__ static float clamp(float q) { return fmaxf(-kMost, fminf(q, kMost)); }
};
struct NanToLeast {
  __device__ static float clamp(float q) { return fminf(fmaxf(q, -kMost), kMost); }
};

template <class Nan, class T, class Quotient>
__device__ __forceinline__ uint2 encoded(const RawChunk<T>& chunk, Quotient quotient) {
  uint32_t codes[kChunk / 2];
#pragma unroll
  for (int pair = 0; pair < kChunk / 2; ++pair) {
    const float2 values = widened(chunk, pair);
    const float2 q = make_float2(Nan::clamp(quotient(values.x)), Nan::clamp(quotient(values.y)));
    codes[pair] = __nv_cvt_float2_to_fp8x2(q, __NV_SATFINITE, __NV_E4M3);
  }
  return make_uint2(codes[0] | codes[1] << 16, codes[2] | codes[3] << 16);
}

// The largest over the block, in every thread; once a kernel.
__device__ __forceinline__ float block_max(float value) {
  __shared__ float of_warps[kWarps];
  value = warp_max(value);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  const unsigned warp = threadIdx.x % kWarps;
  return warp_max<kWarps>(warp < blockDim.x / 32 ? of_warps[warp] : 0.0f);
}

// ---- a scale for all rows, given or found

// grid.x: rows; grid.y and the threads: chunks of a row.
template <class T, bool kVector>
__global__ void __launch_bounds__(kThreads) quantise_all(Matrix m, const float* scale) {
  const T* x = m.x_row<T>(blockIdx.x);
  uint8_t* y = m.y_row(blockIdx.x);
  const float reciprocal = __fdiv_rn(1.0f, *scale);
  const int64_t step = static_cast<int64_t>(gridDim.y) * blockDim.x * kChunk;
  for (int64_t first = (static_cast<int64_t>(blockIdx.y) * blockDim.x + threadIdx.x) * kChunk; first < m.d; first += step) {
    const int count = chunk_count(first, m.d);
    const RawChunk<T> chunk = load_raw<kVector>(x + first, count);
    store_codes<kVector>(y + first, count, encoded<NanToMost>(chunk, [=](float v) { return __fmul_rn(v, reciprocal); }));
  }
}

__global__ void clear(float* scale) { *scale = 0.0f; }

// Each block takes rows in turn. Numbers that are not negative order as their bits do.
template <class T, bool kVector>
__global__ void __launch_bounds__(kThreads) raise_scale(Matrix m, float* scale) {
  float amax = 0.0f;
  for (int64_t row = blockIdx.x; row < m.rows; row += gridDim.x) {
    const T* x = m.x_row<T>(row);
    for (int first = threadIdx.x * kChunk; first < m.d; first += blockDim.x * kChunk)
      amax = larger(amax, load_raw<kVector>(x + first, chunk_count(first, m.d)));
  }
  amax = block_max(amax);
  if (threadIdx.x == 0) atomicMax(reinterpret_cast<int*>(scale), __float_as_int(__fdiv_rn(amax, kMost)));
}

// ---- a scale for each row

// One block a row. A thread keeps its first kHeld chunks, and reads those of a longer row again.
template <class T, bool kVector, int kHeld>
__global__ void __launch_bounds__(kThreads) quantise_rows(Matrix m, float* scales, const float* scale_ub) {
  const T* x = m.x_row<T>(blockIdx.x);
  uint8_t* y = m.y_row(blockIdx.x);
  const int begin = threadIdx.x * kChunk, step = blockDim.x * kChunk;

  // The largest magnitude.
  RawChunk<T> held[kHeld];
  float amax = 0.0f;
#pragma unroll
  for (int i = 0; i < kHeld; ++i)
    if (begin + i * step < m.d) {
      held[i] = load_raw<kVector>(x + begin + i * step, chunk_count(begin + i * step, m.d));
      amax = larger(amax, held[i]);
    }
  for (int first = begin + kHeld * step; first < m.d; first += step)
    amax = larger(amax, load_raw<kVector>(x + first, chunk_count(first, m.d)));
  amax = block_max(amax);

  // The row's scale.
  if (scale_ub) amax = fminf(amax, *scale_ub);
  const float scale = fmaxf(__fdiv_rn(amax, kMost), kLeastRowScale);
  if (threadIdx.x == 0) scales[blockIdx.x] = scale;

  // The codes.
  const auto quotient = [=](float v) { return __fdiv_rn(v, scale); };
#pragma unroll
  for (int i = 0; i < kHeld; ++i)
    if (begin + i * step < m.d)
      store_codes<kVector>(y + begin + i * step, chunk_count(begin + i * step, m.d), encoded<NanToMost>(held[i], quotient));
  for (int first = begin + kHeld * step; first < m.d; first += step) {
    const int count = chunk_count(first, m.d);
    store_codes<kVector>(y + first, count, encoded<NanToMost>(load_raw<kVector>(x + first, count), quotient));
  }
}

// ---- a scale for each group

// The biased exponent of the smallest power of two that is not below max(s, 1e-10); 255 for infinity.
__device__ __forceinline__ uint32_t exponent_above(float s) {
  const uint32_t bits = __float_as_uint(fmaxf(s, kLeastPower));
  return (bits >> 23) + ((bits & 0x7fffffu) != 0);
}

// Where scales go, as FP32. Rows and slots: what there is to store, absent groups included.
template <bool kPowers>
struct FloatScales {
  static constexpr bool kPowersOfTwo = kPowers;
  float* data;
  int64_t row_stride, group_stride;

  __device__ __forceinline__ void store(int64_t row, int group, float scale, bool present) const {
    if (present) data[row * row_stride + group * group_stride] = scale;
  }
  int64_t rows(int64_t present) const { return present; }
  int slots(int groups) const { return groups; }
};

// Four exponent bytes a word, a word's rows side by side and padded to a multiple of 4.
struct PackedScales {
  static constexpr bool kPowersOfTwo = true;
  uint8_t* data;
  int64_t row_count;
  int words;

  __device__ __forceinline__ void store(int64_t row, int slot, float scale, bool present) const {
    const int word = slot / 4;
    if (row >= row_count && word + 1 == words) return;  // past the end of the array
    data[4 * (word * rows(row_count) + row) + slot % 4] = static_cast<uint8_t>(present ? __float_as_uint(scale) >> 23 : 0);
  }
  __host__ __device__ __forceinline__ int64_t rows(int64_t present) const { return (present + 3) / 4 * 4; }
  int slots(int groups) const { return (groups + 3) / 4 * 4; }
};

struct Groups {
  int size, count, slots;
  float eps;
};

// kLanes threads a group; grid.x: rows; grid.y and the threads: slots of a row. A lane keeps its first chunk, and reads those of a larger
// group again.
template <class T, bool kVector, int kLanes, class Scales>
__global__ void __launch_bounds__(kThreads) quantise_groups(Matrix m, Groups groups, Scales scales) {
  const int64_t row = blockIdx.x;
  const int lane = threadIdx.x % kLanes, per_block = blockDim.x / kLanes;
  for (int base = blockIdx.y * per_block; base < groups.slots; base += gridDim.y * per_block) {
    const int group = base + threadIdx.x / kLanes;
    const bool present = row < m.rows && group < groups.count;
    const int64_t begin = static_cast<int64_t>(group) * groups.size;
    const T* x = m.x_row<T>(row) + begin;
    uint8_t* y = m.y_row(row) + begin;
    const int end = present ? groups.size : 0;

    // The largest magnitude.
    RawChunk<T> held{};
    float amax = groups.eps;
    for (int first = lane * kChunk; first < end; first += kLanes * kChunk) {
      const RawChunk<T> chunk = load_raw<kVector>(x + first, kChunk);
      if (first == lane * kChunk) held = chunk;
      amax = larger(amax, chunk);
    }
    amax = warp_max<kLanes>(amax);

    // The group's scale.
    const float s = __fdiv_rn(amax, kMost), scale = Scales::kPowersOfTwo ? __uint_as_float(exponent_above(s) << 23) : s;
    if (lane == 0 && group < groups.slots) scales.store(row, group, scale, present);

    // The codes. A power of two, 2^-33 to 2^120 or infinity, has an exact reciprocal: the product is the quotient.
    const float reciprocal = __fdiv_rn(1.0f, scale);
    const auto quotient = [=](float v) { return Scales::kPowersOfTwo ? __fmul_rn(v, reciprocal) : __fdiv_rn(v, scale); };
    for (int first = lane * kChunk; first < end; first += kLanes * kChunk) {
      const RawChunk<T> chunk = first == lane * kChunk ? held : load_raw<kVector>(x + first, kChunk);
      store_codes<kVector>(y + first, kChunk, encoded<NanToLeast>(chunk, quotient));
    }
  }
}

// ---- host

bool is_vector(const Matrix& m) {
  return is_aligned(m.x, 16) && is_aligned(m.y, kChunk) && (m.rows == 1 || (m.x_stride % kChunk == 0 && m.y_stride % kChunk == 0));
}

// launch_as<T, kVector>() for the type and alignment of x.
template <class F>
cudaError_t dispatch(const Matrix& m, int type, F launch_as) {
  const bool vector = is_vector(m);
  if (type == fp8_quant_bf16)
    return vector ? launch_as.template operator()<__nv_bfloat16, true>() : launch_as.template operator()<__nv_bfloat16, false>();
  return vector ? launch_as.template operator()<__half, true>() : launch_as.template operator()<__half, false>();
}

bool is_legal(const Matrix& m, int64_t d, int type) {
  return m.rows >= 0 && m.rows <= kMaxRows && d >= 0 && d <= kMaxWidth && m.y_stride >= d && m.x_stride >= d &&
         span_fits<uint8_t>(m.rows, m.y_stride, d) && span_fits<uint16_t>(m.rows, m.x_stride, d) &&
         (type == fp8_quant_bf16 || type == fp8_quant_fp16);
}

bool is_empty(const Matrix& m) { return m.rows == 0 || m.d == 0; }

bool has_operands(const Matrix& m, const void* scale) {
  return is_usable(m.y) && is_usable(static_cast<const uint16_t*>(m.x)) && is_usable(static_cast<const float*>(scale));
}

// Whole warps, no more than a row needs.
int threads_for(int64_t wanted) { return static_cast<int>(std::min<int64_t>(ceil_divide(wanted, 32) * 32, kThreads)); }

int row_threads(const Matrix& m) { return threads_for(ceil_divide(m.d, kChunk)); }

dim3 grid_of(int64_t rows, int64_t work, int per_block) {
  return dim3(static_cast<unsigned>(rows), static_cast<unsigned>(std::min<int64_t>(ceil_divide(work, per_block), kMaxGridY)));
}

cudaError_t launch_quantise_all(const Matrix& m, const float* scale, int type, cudaStream_t stream) {
  const int threads = row_threads(m);
  const dim3 grid = grid_of(m.rows, ceil_divide(m.d, kChunk), threads);
  return dispatch(m, type,
                  [&]<class T, bool kVector>() { return launch(quantise_all<T, kVector>, grid, dim3(threads), 0, stream, m, scale); });
}

template <class Scales>
cudaError_t launch_quantise_groups(const Matrix& m, int64_t group, float eps, const Scales& scales, int type, cudaStream_t stream) {
  const int count = static_cast<int>(m.d / group);
  const Groups groups{static_cast<int>(group), count, scales.slots(count), eps};
  return dispatch(m, type, [&]<class T, bool kVector>() {
    const int64_t chunks = group / kChunk;
    const int lanes = chunks <= 8 ? 8 : chunks <= 16 ? 16 : 32;
    const int threads = threads_for(int64_t{groups.slots} * lanes);
    const auto kernel = lanes == 8    ? quantise_groups<T, kVector, 8, Scales>
                        : lanes == 16 ? quantise_groups<T, kVector, 16, Scales>
                                      : quantise_groups<T, kVector, 32, Scales>;
    return launch(kernel, grid_of(scales.rows(m.rows), groups.slots, threads / lanes), dim3(threads), 0, stream, m, groups, scales);
  });
}

// Whether scales have elements of their own, within a span of bytes that int64_t holds. Two of them meet where some rows are as far apart
// as some groups; the least such distance is the least common multiple of the strides.
bool is_legal_layout(int64_t rows, int64_t row_stride, int64_t groups, int64_t group_stride) {
  if (row_stride < 1 || group_stride < 1) return false;
  const int64_t divisor = std::gcd(row_stride, group_stride);
  if (group_stride / divisor < rows && row_stride / divisor < groups) return false;
  int64_t row_span = 0, last = 0;
  return !__builtin_mul_overflow(rows - 1, row_stride, &row_span) && !__builtin_mul_overflow(groups - 1, group_stride, &last) &&
         !__builtin_add_overflow(row_span, last, &last) && last < INT64_MAX / static_cast<int64_t>(sizeof(float));
}

bool is_legal_group(int64_t d, int64_t group, float eps) {
  return group > 0 && group % kChunk == 0 && d % group == 0 && eps >= 0.0f && std::isfinite(eps);
}

}  // namespace
}  // namespace assay

cudaError_t fp8_quant_static(uint8_t* y, int64_t y_stride, const void* x, int64_t x_stride, const float* scale, int64_t rows, int64_t d,
                             int type, cudaStream_t stream) {
  using namespace assay;
  const Matrix m{y, x, y_stride, x_stride, rows, static_cast<int>(d)};
  if (!is_legal(m, d, type)) return cudaErrorInvalidValue;
  if (is_empty(m)) return cudaSuccess;
  if (!has_operands(m, scale)) return cudaErrorInvalidValue;
  return launch_quantise_all(m, scale, type, stream);
}

cudaError_t fp8_quant_tensor(uint8_t* y, int64_t y_stride, float* scale, const void* x, int64_t x_stride, int64_t rows, int64_t d, int type,
                             cudaStream_t stream) {
  using namespace assay;
  const Matrix m{y, x, y_stride, x_stride, rows, static_cast<int>(d)};
  if (!is_legal(m, d, type)) return cudaErrorInvalidValue;
  if (is_empty(m)) return cudaSuccess;
  if (!has_operands(m, scale)) return cudaErrorInvalidValue;

  if (const cudaError_t error = launch(clear, dim3(1), dim3(1), 0, stream, scale); error != cudaSuccess) return error;
  const dim3 blocks(static_cast<unsigned>(std::min<int64_t>(rows, kMaxAmaxBlocks))), threads(row_threads(m));
  const cudaError_t error =
      dispatch(m, type, [&]<class T, bool kVector>() { return launch(raise_scale<T, kVector>, blocks, threads, 0, stream, m, scale); });
  return error != cudaSuccess ? error : launch_quantise_all(m, scale, type, stream);
}

cudaError_t fp8_quant_token(uint8_t* y, int64_t y_stride, float* scale, const void* x, int64_t x_stride, const float* scale_ub,
                            int64_t rows, int64_t d, int type, cudaStream_t stream) {
  using namespace assay;
  const Matrix m{y, x, y_stride, x_stride, rows, static_cast<int>(d)};
  if (!is_legal(m, d, type)) return cudaErrorInvalidValue;
  if (is_empty(m)) return cudaSuccess;
  if (!has_operands(m, scale) || (scale_ub && !is_usable(scale_ub))) return cudaErrorInvalidValue;

  const dim3 blocks(static_cast<unsigned>(rows)), threads(row_threads(m));
  return dispatch(m, type, [&]<class T, bool kVector>() {
    // Chunks in registers: rows of 4096 and of 16384, hidden sizes and the widths of feed-forward layers, are read once.
    const auto kernel = d <= 2 * kThreads * kChunk ? quantise_rows<T, kVector, 2> : quantise_rows<T, kVector, 8>;
    return launch(kernel, blocks, threads, 0, stream, m, scale, scale_ub);
  });
}

cudaError_t fp8_quant_group(uint8_t* y, int64_t y_stride, float* scale, int64_t row_stride, int64_t group_stride, const void* x,
                            int64_t x_stride, int64_t rows, int64_t d, int64_t group, float eps, int power_of_two, int type,
                            cudaStream_t stream) {
  using namespace assay;
  const Matrix m{y, x, y_stride, x_stride, rows, static_cast<int>(d)};
  if (!is_legal(m, d, type) || !is_legal_group(d, group, eps)) return cudaErrorInvalidValue;
  if (is_empty(m)) return cudaSuccess;
  if (!has_operands(m, scale) || !is_legal_layout(rows, row_stride, d / group, group_stride)) return cudaErrorInvalidValue;
  if (power_of_two) return launch_quantise_groups(m, group, eps, FloatScales<true>{scale, row_stride, group_stride}, type, stream);
  return launch_quantise_groups(m, group, eps, FloatScales<false>{scale, row_stride, group_stride}, type, stream);
}

cudaError_t fp8_quant_group_packed(uint8_t* y, int64_t y_stride, uint32_t* scale, const void* x, int64_t x_stride, int64_t rows, int64_t d,
                                   int64_t group, float eps, int type, cudaStream_t stream) {
  using namespace assay;
  const Matrix m{y, x, y_stride, x_stride, rows, static_cast<int>(d)};
  if (!is_legal(m, d, type) || !is_legal_group(d, group, eps)) return cudaErrorInvalidValue;
  if (is_empty(m)) return cudaSuccess;
  if (!has_operands(m, scale)) return cudaErrorInvalidValue;
  const int words = static_cast<int>(ceil_divide(d / group, 4));
  return launch_quantise_groups(m, group, eps, PackedScales{reinterpret_cast<uint8_t*>(scale), rows, words}, type, stream);
}
