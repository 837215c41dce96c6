// Sums split between blocks, added in a fixed order: by turns (acquire and release), and by the block that comes last (fences and an
// atomic).
#include "kernels/ptx.h"
// The emulator's keywords come first.
#include <cstring>

#include "kernels/simt/twin/device_memory.hpp"

namespace simt::twin {
namespace {

constexpr int kThreads = 64, kBlocks = 24, kPart = 37;  // elements of each sum that a block adds

__device__ float part(const float* in) {
  float sum = 0;
  for (int i = 0; i < kPart; ++i)
    sum = __fadd_rn(sum, in[(static_cast<int>(blockIdx.x) * kPart + i) * kThreads + static_cast<int>(threadIdx.x)]);
  return sum;
}

// out[threadIdx.x] grows block after block.
__global__ void __launch_bounds__(kThreads) by_turns(const float* in, float* out, int* turn) {
  const float mine = part(in);
  if (threadIdx.x == 0)
    while (assay::load_acquire(turn) != static_cast<int>(blockIdx.x)) {
    }
  __syncthreads();
  out[threadIdx.x] = blockIdx.x == 0 ? mine : __fadd_rn(out[threadIdx.x], mine);
  __syncthreads();
  if (threadIdx.x == 0) assay::store_release(turn, static_cast<int>(blockIdx.x) + 1);
}

__global__ void __launch_bounds__(kThreads) by_the_last(const float* in, float* out, float* parts, unsigned* finished) {
  __shared__ bool last;
  parts[blockIdx.x * kThreads + threadIdx.x] = part(in);
  __syncthreads();
  if (threadIdx.x == 0) {
    assay::fence_acq_rel_gpu();
    last = atomicAdd(finished, 1u) + 1 == gridDim.x;
    assay::fence_acq_rel_gpu();
  }
  __syncthreads();
  if (!last) return;
  float sum = parts[threadIdx.x];
  for (unsigned block = 1; block < gridDim.x; ++block) sum = __fadd_rn(sum, parts[block * kThreads + threadIdx.x]);
  out[threadIdx.x] = sum;
}

// Of 30 binary orders of magnitude: another order of additions gives other bits.
std::vector<float> inputs() {
  std::vector<float> values(kBlocks * kPart * kThreads);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint32_t bits = draw(4, static_cast<std::uint32_t>(i)), code = (bits & 0x807fffff) | (112 + (bits >> 24) % 30) << 23;
    std::memcpy(&values[i], &code, 4);
  }
  return values;
}

Words words_of(const std::vector<float>& values) {
  Words words(values.size());
  std::memcpy(words.data(), values.data(), 4 * values.size());
  return words;
}

Words run_by_turns() {
  DeviceArray<float> in(inputs()), out(std::vector<float>(kThreads, -1));
  DeviceArray<int> turn({0});
  check(assay::launch(by_turns, dim3(kBlocks), dim3(kThreads), 0, nullptr, in.data(), out.data(), turn.data()), "launch");
  return words_of(out.host());
}

Words run_by_the_last() {
  DeviceArray<float> in(inputs()), out(std::vector<float>(kThreads, -1)), parts(std::vector<float>(kBlocks * kThreads, -1));
  DeviceArray<unsigned> finished({0});
  check(assay::launch(by_the_last, dim3(kBlocks), dim3(kThreads), 0, nullptr, in.data(), out.data(), parts.data(), finished.data()),
        "launch");
  return words_of(out.host());
}

Words loop() {
  const std::vector<float> in = inputs();
  std::vector<float> sums(kThreads);
  for (std::size_t thread = 0; thread < kThreads; ++thread)
    for (std::size_t block = 0; block < kBlocks; ++block) {
      float sum = 0;
      for (std::size_t i = 0; i < kPart; ++i) sum += in[(block * kPart + i) * kThreads + thread];
      sums[thread] = block == 0 ? sum : sums[thread] + sum;
    }
  return words_of(sums);
}

}  // namespace

std::vector<Exercise> split_exercises() { return {{"split.turns", run_by_turns, loop}, {"split.last", run_by_the_last, loop}}; }

}  // namespace simt::twin
