// Products a second and core of the bit model, by instruction and path.
#include <benchmark/benchmark.h>

#include "kernels/simt/tensor/test_tile.hpp"

namespace {

using namespace simt::tensor;

void Products(benchmark::State& state, Family family, Input input, Accumulator accumulator, int columns, Path path) {
  if (path > best_path()) return state.SkipWithError("this processor has no such path");
  for (const Parameters& row : kParameters) {
    if (row.architecture != Architecture::sm_90 || row.family != family || row.input != input || row.accumulator != accumulator) continue;
    TestTile tile(row, columns, depth(row), Draw::near_normal, 1);
    const Tile view = tile.view();
    for (auto _ : state) {
      multiply(row, view, path);
      benchmark::DoNotOptimize(view.d[0]);
      benchmark::ClobberMemory();
    }
    const double products = static_cast<double>(state.iterations()) * kRows * columns * depth(row);
    state.counters["products/s"] = benchmark::Counter(products, benchmark::Counter::kIsRate);
  }
}

#define PRODUCTS(family, input, accumulator, columns)                                                                                      \
  BENCHMARK_CAPTURE(Products, family##_##input##_##accumulator##_##columns##_scalar, Family::family, Input::input,                         \
                    Accumulator::accumulator, columns, Path::scalar);                                                                      \
  BENCHMARK_CAPTURE(Products, family##_##input##_##accumulator##_##columns##_avx2, Family::family, Input::input, Accumulator::accumulator, \
                    columns, Path::avx2);                                                                                                  \
  BENCHMARK_CAPTURE(Products, family##_##input##_##accumulator##_##columns##_avx512, Family::family, Input::input,                         \
                    Accumulator::accumulator, columns, Path::avx512)

PRODUCTS(mma_sync, bf16, fp32, 8);
PRODUCTS(mma_sync, fp16, fp16, 8);
PRODUCTS(mma_sync, tf32, fp32, 8);
PRODUCTS(mma_sync, e4m3, fp32, 8);
PRODUCTS(wgmma, bf16, fp32, 128);
PRODUCTS(wgmma, e4m3, fp32, 128);
PRODUCTS(wgmma, fp16, fp16, 128);

}  // namespace

BENCHMARK_MAIN();
