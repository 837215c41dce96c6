// What the checker costs: the same kernels in the plain and in the checked flavour, on one worker.
#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <stdexcept>
#include <string>

#include "kernels/fused_add_rms_norm/fused_add_rms_norm.h"
#include "kernels/simt/checker/checker.hpp"
#include "kernels/simt/session.hpp"
#include "kernels/w4a16_gemv/w4a16_gemv.h"

namespace {

using simt::Elements;
const char* const kFlavours[] = {"emu", "checked"};

template <class Function>
Function* function(const std::string& kernel, int flavour) {
  void* image = dlopen((SIMT_TEST_IMAGES "/" + kernel + "." + kFlavours[flavour] + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!image) throw std::runtime_error(dlerror());
  return reinterpret_cast<Function*>(dlsym(image, kernel.c_str()));
}

template <class T>
T* tensor(const char* name, Elements::Use use, std::int64_t count) {
  T* data = nullptr;
  const auto bytes = static_cast<std::size_t>(count) * sizeof(T);
  cudaMalloc(reinterpret_cast<void**>(&data), bytes);
  cudaMemset(data, 0x3f, bytes);
  simt::describe(data, {.name = name, .use = use, .element_bytes = sizeof(T), .shape = {count}});
  return data;
}

void finish(benchmark::State& state) {
  state.SetLabel(kFlavours[state.range(0)]);
  if (!simt::checker_findings().empty()) state.SkipWithError(simt::checker_findings()[0].text.c_str());
}

void RmsNorm64x4096(benchmark::State& state) {
  const auto norm = function<decltype(fused_add_rms_norm)>("fused_add_rms_norm", static_cast<int>(state.range(0)));
  auto *x = tensor<__nv_bfloat16>("x", Elements::Use::inout, 64 * 4096),
       *residual = tensor<__nv_bfloat16>("residual", Elements::Use::inout, 64 * 4096),
       *weight = tensor<__nv_bfloat16>("weight", Elements::Use::input, 4096);
  simt::configure({.workers = 1});
  for (auto _ : state) norm(x, 4096, residual, 4096, weight, 64, 4096, 1e-6f, nullptr);
  finish(state);
  for (auto* data : {x, residual, weight}) cudaFree(data);
}
BENCHMARK(RmsNorm64x4096)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void W4a16Gemv1024x1024(benchmark::State& state) {
  const auto gemv = function<decltype(w4a16_gemv)>("w4a16_gemv", static_cast<int>(state.range(0)));
  auto* words = tensor<std::uint32_t>("w", Elements::Use::input, 1024 * 128);
  auto *x = tensor<__nv_bfloat16>("x", Elements::Use::input, 1024), *y = tensor<__nv_bfloat16>("y", Elements::Use::output, 1024),
       *scale = tensor<__nv_bfloat16>("scale", Elements::Use::input, 1024 * 8);
  simt::configure({.workers = 1});
  for (auto _ : state) gemv(y, 1024, x, 1024, words, 128, scale, 8, 1, 1024, 1024, 128, nullptr);
  finish(state);
  cudaFree(words);
  for (auto* data : {x, y, scale}) cudaFree(data);
}
BENCHMARK(W4a16Gemv1024x1024)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
