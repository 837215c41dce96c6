// ldmatrix: registers of two warps that read a tile whose elements are numbered.
#include "kernels/ptx.h"
// The emulator's keywords come first.
#include "kernels/simt/twin/device_memory.hpp"

namespace simt::twin {
namespace {

constexpr int kRows = 16, kPitch = 40;  // elements; 80 bytes, so that 8 rows touch all banks
constexpr int kThreads = 64;

std::uint32_t number(int row, int column) { return 0x1000u + static_cast<std::uint32_t>(row * kPitch + column); }

// Warp w reads 16 x 16 elements from column 16 * w on: matrices 0 and 1 are the upper and the lower 8 rows, 2 and 3 are right of them.
template <int kCount, bool kTransposed>
__global__ void __launch_bounds__(kThreads) reads(std::uint32_t* out) {
  __shared__ __align__(16) std::uint16_t tile[kRows * kPitch];
  for (int i = static_cast<int>(threadIdx.x); i < kRows * kPitch; i += kThreads) tile[i] = static_cast<std::uint16_t>(0x1000 + i);
  __syncthreads();
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const std::uint16_t* row = tile + lane % 16 * kPitch + warp * 16 + lane / 16 * 8;
  std::uint32_t registers[kCount];
  if constexpr (kCount == 1 && !kTransposed) assay::ldmatrix_x1(registers, row);
  if constexpr (kCount == 2 && !kTransposed) assay::ldmatrix_x2(registers, row);
  if constexpr (kCount == 4 && !kTransposed) assay::ldmatrix_x4(registers, row);
  if constexpr (kCount == 1 && kTransposed) assay::ldmatrix_x1_trans(registers, row);
  if constexpr (kCount == 2 && kTransposed) assay::ldmatrix_x2_trans(registers, row);
  if constexpr (kCount == 4 && kTransposed) assay::ldmatrix_x4_trans(registers, row);
  for (int m = 0; m < kCount; ++m) out[static_cast<int>(threadIdx.x) * kCount + m] = registers[m];
}

template <int kCount, bool kTransposed>
Exercise exercise(const char* name) {
  const auto run = [] {
    Answer out(kThreads * kCount);
    check(assay::launch(reads<kCount, kTransposed>, dim3(1), dim3(kThreads), 0, nullptr, out.data()), "launch");
    return out.host();
  };
  const auto loop = [] {
    Words words;
    for (int thread = 0; thread < kThreads; ++thread)
      for (int m = 0; m < kCount; ++m) {
        const int major = thread % 32 / 4, minor = thread % 4 * 2, row = m % 2 * 8, column = thread / 32 * 16 + m / 2 * 8;
        const std::uint32_t first = kTransposed ? number(row + minor, column + major) : number(row + major, column + minor),
                            second = kTransposed ? number(row + minor + 1, column + major) : number(row + major, column + minor + 1);
        words.push_back(first | second << 16);
      }
    return words;
  };
  return {name, run, loop};
}

}  // namespace

std::vector<Exercise> ldmatrix_exercises() {
  return {exercise<1, false>("ldmatrix.x1"),      exercise<2, false>("ldmatrix.x2"),      exercise<4, false>("ldmatrix.x4"),
          exercise<1, true>("ldmatrix.x1.trans"), exercise<2, true>("ldmatrix.x2.trans"), exercise<4, true>("ldmatrix.x4.trans")};
}

}  // namespace simt::twin
