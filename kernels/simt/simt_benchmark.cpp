// What the emulator costs: lane resumptions, approximations, and two whole kernels on one worker.
#include <benchmark/benchmark.h>

#include <vector>

#include "kernels/common/elementary.cuh"
#include "kernels/launch.h"
#include "kernels/simt/session.hpp"

namespace {

using Bf16 = __nv_bfloat16;
using Bf162 = __nv_bfloat162;
constexpr unsigned kAll = 0xffffffffu;

__device__ float warp_sum(float value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(kAll, value, offset);
  return value;
}

__global__ void shuffles(float* out, int rounds) {
  float value = static_cast<float>(threadIdx.x);
  for (int i = 0; i < rounds; ++i) value = __shfl_xor_sync(kAll, value, 1 + i % 31);
  out[threadIdx.x] = value;
}

__global__ void barriers(float* out, int rounds) {
  for (int i = 0; i < rounds; ++i) __syncthreads();
  out[threadIdx.x] = 1;
}

// The residual stream takes x; x becomes the normalised stream. 8 elements an access, the sum of squares over shuffles and shared memory.
__global__ void rms_norm(Bf16* x, Bf16* residual, const Bf16* weight, int width, float epsilon) {
  __shared__ float parts[8], scale;
  Bf16 *row = x + std::size_t{blockIdx.x} * width, *stream = residual + std::size_t{blockIdx.x} * width;
  float squares = 0;
  for (int i = static_cast<int>(threadIdx.x) * 8; i < width; i += 2048) {
    uint4 added = *reinterpret_cast<const uint4*>(row + i), held = *reinterpret_cast<const uint4*>(stream + i);
    const auto* a = reinterpret_cast<const Bf162*>(&added);
    auto* h = reinterpret_cast<Bf162*>(&held);
    for (int j = 0; j < 4; ++j) {
      const float2 p = __bfloat1622float2(a[j]), q = __bfloat1622float2(h[j]);
      h[j] = __float22bfloat162_rn(make_float2(p.x + q.x, p.y + q.y));
      const float2 sum = __bfloat1622float2(h[j]);
      squares = __fmaf_rn(sum.y, sum.y, __fmaf_rn(sum.x, sum.x, squares));
    }
    *reinterpret_cast<uint4*>(stream + i) = held;
  }
  squares = warp_sum(squares);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = squares;
  __syncthreads();
  if (threadIdx.x < 32) {
    const float all = warp_sum(threadIdx.x < 8 ? parts[threadIdx.x] : 0.0f);
    if (threadIdx.x == 0) scale = rsqrtf(all / static_cast<float>(width) + epsilon);
  }
  __syncthreads();
  const float by = scale;
  for (int i = static_cast<int>(threadIdx.x) * 8; i < width; i += 2048) {
    uint4 held = *reinterpret_cast<const uint4*>(stream + i), weights = *reinterpret_cast<const uint4*>(weight + i);
    auto* h = reinterpret_cast<Bf162*>(&held);
    const auto* w = reinterpret_cast<const Bf162*>(&weights);
    for (int j = 0; j < 4; ++j) {
      const float2 p = __bfloat1622float2(h[j]), q = __bfloat1622float2(w[j]);
      h[j] = __floats2bfloat162_rn(p.x * by * q.x, p.y * by * q.y);
    }
    *reinterpret_cast<uint4*>(row + i) = held;
  }
}

// One warp a row, one scale a group of 128 weights, zero point 8.
__global__ void w4a16_gemv(const std::uint32_t* codes, const Bf16* scales, const Bf16* x, Bf16* y, int rows, int width) {
  const int row = static_cast<int>(blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  if (row >= rows) return;
  float sum = 0;
  for (int k = lane * 32; k < width; k += 1024) {
    const uint4 packed = *reinterpret_cast<const uint4*>(codes + (static_cast<std::size_t>(row) * width + k) / 8);
    const float scale = __bfloat162float(scales[static_cast<std::size_t>(row) * (width / 128) + k / 128]);
    const std::uint32_t words[4] = {packed.x, packed.y, packed.z, packed.w};
    for (int j = 0; j < 4; ++j) {
      const uint4 eight = *reinterpret_cast<const uint4*>(x + k + j * 8);
      const auto* pairs = reinterpret_cast<const Bf162*>(&eight);
      for (int t = 0; t < 4; ++t) {
        const float2 a = __bfloat1622float2(pairs[t]);
        sum = __fmaf_rn(static_cast<float>(static_cast<int>(words[j] >> (8 * t) & 15) - 8) * scale, a.x, sum);
        sum = __fmaf_rn(static_cast<float>(static_cast<int>(words[j] >> (8 * t + 4) & 15) - 8) * scale, a.y, sum);
      }
    }
  }
  sum = warp_sum(sum);
  if (lane == 0) y[row] = __float2bfloat16_rn(sum);
}

template <class T>
T* device(std::size_t count) {
  T* data = nullptr;
  cudaMalloc(&data, count * sizeof(T));
  return data;
}

Bf16* values(std::size_t count) {
  Bf16* data = device<Bf16>(count);
  for (std::size_t i = 0; i < count; ++i)
    data[i] = __float2bfloat16_rn(static_cast<float>(static_cast<int>(i * 2654435761u % 4096) - 2048) / 2048);
  return data;
}

void count_switches(benchmark::State& state) {
  state.counters["switches/s"] = benchmark::Counter(static_cast<double>(simt::stats().switches), benchmark::Counter::kIsRate);
}

void Shuffles(benchmark::State& state) {
  float* out = device<float>(1024);
  simt::configure({.workers = 1});
  for (auto _ : state) assay::launch(shuffles, 1, static_cast<unsigned>(state.range(0)), 0, nullptr, out, 1000);
  count_switches(state);
  cudaFree(out);
}
BENCHMARK(Shuffles)->Arg(32)->Arg(256)->Arg(1024)->Unit(benchmark::kMillisecond);

void Barriers(benchmark::State& state) {
  float* out = device<float>(1024);
  simt::configure({.workers = 1});
  for (auto _ : state) assay::launch(barriers, 1, static_cast<unsigned>(state.range(0)), 0, nullptr, out, 1000);
  count_switches(state);
  cudaFree(out);
}
BENCHMARK(Barriers)->Arg(32)->Arg(256)->Arg(1024)->Unit(benchmark::kMillisecond);

void RmsNorm64x4096(benchmark::State& state) {
  Bf16 *x = values(64 * 4096), *residual = values(64 * 4096), *weight = values(4096);
  simt::configure({.workers = static_cast<int>(state.range(0)), .schedule_seed = static_cast<std::uint64_t>(state.range(1))});
  for (auto _ : state) assay::launch(rms_norm, 64, 256, 0, nullptr, x, residual, weight, 4096, 1e-6f);
  count_switches(state);
  for (Bf16* data : {x, residual, weight}) cudaFree(data);
}
BENCHMARK(RmsNorm64x4096)->Args({1, 0})->Args({1, 7})->Args({2, 0})->Unit(benchmark::kMillisecond)->UseRealTime();

void W4a16Gemv1024x1024(benchmark::State& state) {
  auto* codes = device<std::uint32_t>(1024 * 128);
  for (std::uint32_t i = 0; i < 1024 * 128; ++i) codes[i] = i * 2654435761u;
  Bf16 *scales = values(1024 * 8), *x = values(1024), *y = values(1024);
  simt::configure({.workers = static_cast<int>(state.range(0)), .schedule_seed = static_cast<std::uint64_t>(state.range(1))});
  for (auto _ : state) assay::launch(w4a16_gemv, 256, 128, 0, nullptr, codes, scales, x, y, 1024, 1024);
  count_switches(state);
  cudaFree(codes);
  for (Bf16* data : {scales, x, y}) cudaFree(data);
}
BENCHMARK(W4a16Gemv1024x1024)->Args({1, 0})->Args({1, 7})->Args({2, 0})->Unit(benchmark::kMillisecond)->UseRealTime();

// Arguments of softmax and normalisation: from -16 to 0, or from 0 to 16. The counter `call` is the time of one call.
template <class Function>
void evaluate(benchmark::State& state, Function function, float from) {
  std::vector<float> arguments(4096);
  for (std::size_t i = 0; i < arguments.size(); ++i) arguments[i] = from + static_cast<float>(i * 2654435761u % 65536) / 4096;
  benchmark::DoNotOptimize(function(arguments[0]));  // expands the table
  for (auto _ : state) {
    float sum = 0;
    for (float argument : arguments) sum += function(argument);
    benchmark::DoNotOptimize(sum);
  }
  state.counters["call"] = benchmark::Counter(static_cast<double>(arguments.size()),
                                              benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

#define BENCHMARK_FUNCTION(name, expression, from) \
  BENCHMARK_CAPTURE(                               \
      evaluate, name, [](float x) { return expression; }, from)
BENCHMARK_FUNCTION(fast_expf, __expf(x), -16.0f);
BENCHMARK_FUNCTION(exp2f, exp2f(x), -16.0f);
BENCHMARK_FUNCTION(rsqrtf, rsqrtf(x), 0.001f);
BENCHMARK_FUNCTION(fdividef, __fdividef(1.0f, x), 0.001f);
BENCHMARK_FUNCTION(frcp_rn, __frcp_rn(x), 0.001f);
BENCHMARK_FUNCTION(frsqrt_rn, __frsqrt_rn(x), 0.001f);
BENCHMARK_FUNCTION(portable_tanh, assay::portable_tanh(x), -8.0f);
BENCHMARK_FUNCTION(portable_erf, assay::portable_erf(x), -8.0f);
BENCHMARK_FUNCTION(expf, expf(x), -16.0f);
BENCHMARK_FUNCTION(exp10f, exp10f(x), -16.0f);
BENCHMARK_FUNCTION(tanhf, tanhf(x), -8.0f);
BENCHMARK_FUNCTION(erff, erff(x), -8.0f);
BENCHMARK_FUNCTION(logf, logf(x), 0.001f);
BENCHMARK_FUNCTION(log2f, log2f(x), 0.001f);
BENCHMARK_FUNCTION(powf, powf(x, 1.7f), 0.001f);
BENCHMARK_FUNCTION(sinf, sinf(x), -8.0f);
BENCHMARK_FUNCTION(cosf, cosf(x), -8.0f);

}  // namespace

BENCHMARK_MAIN();
