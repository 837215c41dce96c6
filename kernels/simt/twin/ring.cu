// mbarriers between warps: two that write a ring of slots and two that read it, for several phases of every barrier.
#include "kernels/ptx.h"
// The emulator's keywords come first.
#include "kernels/simt/twin/device_memory.hpp"

namespace simt::twin {
namespace {

constexpr int kSide = 64, kThreads = 2 * kSide, kSlots = 3, kRounds = 14;

__host__ __device__ __forceinline__ std::uint32_t made(int round, int thread) {
  const std::uint32_t x = static_cast<std::uint32_t>(round * kSide + thread) * 0x9e3779b9u + 0x7f4a7c15u;
  return x ^ x >> 13;
}
// Not the same in any other order of rounds, nor with words of another round.
__host__ __device__ __forceinline__ std::uint32_t taken(std::uint32_t state, std::uint32_t own, std::uint32_t other) {
  return (state ^ own) * 0x01000193u + other;
}

__global__ void __launch_bounds__(kThreads) exchanges(std::uint32_t* out) {
  __shared__ std::uint32_t slots[kSlots][kSide];
  __shared__ std::uint64_t full[kSlots], empty[kSlots];
  if (threadIdx.x == 0)
    for (int i = 0; i < kSlots; ++i) {
      assay::mbarrier_init(&full[i], kSide);
      assay::mbarrier_init(&empty[i], kSide);
    }
  __syncthreads();
  const int thread = static_cast<int>(threadIdx.x) % kSide;
  std::uint32_t state = 0;
  for (int round = 0; round < kRounds; ++round) {
    const int slot = round % kSlots;
    const auto parity = static_cast<unsigned>(round / kSlots) % 2;
    if (threadIdx.x < kSide) {
      assay::mbarrier_wait(&empty[slot], 1 - parity);
      slots[slot][thread] = made(round, thread);
      assay::mbarrier_arrive(&full[slot]);
    } else {
      while (!assay::mbarrier_test_wait(&full[slot], parity)) {
      }
      state = taken(state, slots[slot][kSide - 1 - thread], slots[slot][(thread * 5 + round) % kSide]);
      assay::mbarrier_arrive(&empty[slot]);
      out[round * kSide + thread] = state;
    }
  }
}

Words run() {
  Answer out(kRounds * kSide);
  check(assay::launch(exchanges, dim3(1), dim3(kThreads), 0, nullptr, out.data()), "launch");
  return out.host();
}

Words loop() {
  Words words(kRounds * kSide);
  for (int thread = 0; thread < kSide; ++thread) {
    std::uint32_t state = 0;
    for (int round = 0; round < kRounds; ++round) {
      state = taken(state, made(round, kSide - 1 - thread), made(round, (thread * 5 + round) % kSide));
      words[static_cast<std::size_t>(round * kSide + thread)] = state;
    }
  }
  return words;
}

}  // namespace

std::vector<Exercise> ring_exercises() { return {{"ring", run, loop}}; }

}  // namespace simt::twin
