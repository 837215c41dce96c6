// A tile of a matrix product as sm_80 kernels make it: cp.async into two stages, ldmatrix, mma.sync.
#include "kernels/ptx.h"
// The emulator's keywords come first.
#include "kernels/simt/twin/device_memory.hpp"

namespace simt::twin {
namespace {

constexpr int kThreads = 128, kRows = 64, kColumns = 64;
constexpr int kSteps = 4, kStepBytes = 64, kRowBytes = kSteps * kStepBytes;  // of k; a step takes two instructions
constexpr int kPitch = kStepBytes + 16, kRowMajorPitch = 2 * kColumns + 16;  // bytes in shared memory: no bank conflicts
constexpr int kStage = kRows * kPitch;

// Starts the copy of `rows` rows of `bytes` bytes.
__device__ void copy(unsigned char* shared, int pitch, const unsigned char* global, int global_pitch, int rows, int bytes) {
  const int chunks = bytes / 16;
  for (int i = static_cast<int>(threadIdx.x); i < rows * chunks; i += kThreads)
    assay::cp_async16(shared + i / chunks * pitch + i % chunks * 16, global + i / chunks * global_pitch + i % chunks * 16);
}

template <class T, class Word, int kWords>
__device__ void multiply(Word (&sums)[kWords], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  if constexpr (sizeof(T) == 2)
    assay::mma_m16n8k16<T>(sums, a, b, sums);
  else
    assay::mma_m16n8k32<T>(sums, a, b, sums);
}

// A warp makes 16 rows. B lies with its k together, or (row-major, 16-bit types) with its columns.
template <class T, class Accumulator, bool kRowMajorB>
__global__ void __launch_bounds__(kThreads) multiplies(const unsigned char* a, const unsigned char* b, std::uint32_t* out) {
  __shared__ __align__(16) unsigned char a_tiles[2][kStage];
  __shared__ __align__(16) unsigned char b_tiles[2][kStage];
  constexpr int step_k = kStepBytes / sizeof(T);
  using Word = std::conditional_t<std::is_same_v<Accumulator, __half>, std::uint32_t, Accumulator>;
  constexpr int words = std::is_same_v<Accumulator, __half> ? 2 : 4;
  Word sums[kColumns / 8][words] = {};
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;

  const auto load = [&](int step) {
    copy(a_tiles[step % 2], kPitch, a + step * kStepBytes, kRowBytes, kRows, kStepBytes);
    if constexpr (kRowMajorB)
      copy(b_tiles[step % 2], kRowMajorPitch, b + step * step_k * 2 * kColumns, 2 * kColumns, step_k, 2 * kColumns);
    else
      copy(b_tiles[step % 2], kPitch, b + step * kStepBytes, kRowBytes, kColumns, kStepBytes);
  };
  load(0);
  assay::cp_async_commit();
  for (int step = 0; step < kSteps; ++step) {
    if (step + 1 < kSteps) load(step + 1);
    assay::cp_async_commit();
    assay::cp_async_wait<1>();
    __syncthreads();
    const unsigned char *a_tile = a_tiles[step % 2], *b_tile = b_tiles[step % 2];
    for (int half = 0; half < 2; ++half) {
      std::uint32_t a_words[4];
      assay::ldmatrix_x4(a_words, a_tile + (warp * 16 + lane % 16) * kPitch + half * 32 + lane / 16 * 16);
#pragma unroll
      for (int n = 0; n < kColumns / 8; ++n) {
        std::uint32_t b_words[2];
        if constexpr (kRowMajorB)
          assay::ldmatrix_x2_trans(b_words, b_tile + (half * 16 + lane % 16) * kRowMajorPitch + n * 16);
        else
          assay::ldmatrix_x2(b_words, b_tile + (n * 8 + lane % 8) * kPitch + half * 32 + lane / 8 % 2 * 16);
        multiply<T>(sums[n], a_words, b_words);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int n = 0; n < kColumns / 8; ++n)
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      std::uint32_t bits;
      memcpy(&bits, &sums[n][e * words / 4], 4);
      if constexpr (words == 2) bits = bits >> (16 * (e % 2)) & 0xffff;
      out[(warp * 16 + lane / 4 + e / 2 * 8) * kColumns + n * 8 + lane % 4 * 2 + e % 2] = bits;
    }
}

template <class T, class Accumulator, bool kRowMajorB = false>
Exercise exercise(const char* name) {
  constexpr int k = kRowBytes / sizeof(T);
  constexpr Element element = element_of<T>();
  const auto run = [] {
    DeviceArray<unsigned char> a(operand(element, kStreamA, kRows * k)), b(operand(element, kStreamB, kColumns * k));
    Answer out(kRows * kColumns);
    check(assay::launch(multiplies<T, Accumulator, kRowMajorB>, dim3(1), dim3(kThreads), 0, nullptr, a.data(), b.data(), out.data()),
          "launch");
    return out.host();
  };
  const Sum sum = std::is_same_v<Accumulator, __half> ? Sum::fp16 : std::is_same_v<Accumulator, int> ? Sum::s32 : Sum::fp32;
  return {name, run, [sum] { return product({Unit::mma_sync, element, sum, kRows, kColumns, k, kRowMajorB}); }};
}

}  // namespace

std::vector<Exercise> gemm_exercises() {
  return {exercise<__nv_bfloat16, float>("gemm.bf16"), exercise<__nv_bfloat16, float, true>("gemm.bf16.row_major"),
          exercise<__half, __half>("gemm.f16.f16"),    exercise<__half, __half, true>("gemm.f16.f16.row_major"),
          exercise<std::int8_t, int>("gemm.s8"),       exercise<__nv_fp8_e4m3, float>("gemm.e4m3")};
}

}  // namespace simt::twin
