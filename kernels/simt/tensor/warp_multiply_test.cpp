#include "kernels/simt/runtime/test_device.hpp"
//
#include "kernels/ptx.h"
#include "kernels/simt/tensor/dot.hpp"
#include "kernels/simt/tensor/operands.hpp"

namespace simt {
namespace {

using tensor::Draw;

// `bits`-wide codes packed into a word, the first in the low bits.
__device__ std::uint32_t pack(const std::uint32_t* codes, int bits, int stride = 1) {
  std::uint32_t word = 0;
  for (int i = 0; i < 32 / bits; ++i) word |= codes[i * stride] << (bits * i);
  return word;
}

// A is 16 x k and row-major, B is k x 8 and column-major, C and D are 16 x 8 and row-major: a code a word.
// The layouts as the PTX ISA states them: groupID = lane / 4, threadID_in_group = lane % 4.
template <class Multiply>
__global__ void multiplies(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c, std::uint32_t* d, Multiply multiply) {
  constexpr int bits = Multiply::kBits, k = Multiply::kDepth, each = 32 / bits;
  const int group = static_cast<int>(threadIdx.x) / 4, thread = static_cast<int>(threadIdx.x) % 4;
  std::uint32_t a_words[Multiply::kRegisters * 2], b_words[Multiply::kRegisters];
  for (int i = 0; i < Multiply::kRegisters * 2; ++i) {
    const int row = i == 0 || i == 2 ? group : group + 8, column = thread * each + (i < 2 ? 0 : 4 * each);
    a_words[i] = pack(a + row * k + column, bits);
  }
  for (int i = 0; i < Multiply::kRegisters; ++i) b_words[i] = pack(b + group * k + thread * each + 4 * each * i, bits);
  const int first = group * 8 + thread * 2, second = first + 64;
  typename Multiply::Sums c_sums, d_sums{};
  if constexpr (sizeof(c_sums) == 8) {
    c_sums[0] = pack(c + first, 16);
    c_sums[1] = pack(c + second, 16);
    multiply(d_sums, a_words, b_words, c_sums);
    for (int i = 0; i < 2; ++i) {
      d[first + i] = d_sums[0] >> (16 * i) & 0xffff;
      d[second + i] = d_sums[1] >> (16 * i) & 0xffff;
    }
  } else {
    std::memcpy(c_sums, c + first, 8);
    std::memcpy(c_sums + 2, c + second, 8);
    multiply(d_sums, a_words, b_words, c_sums);
    std::memcpy(d + first, d_sums, 8);
    std::memcpy(d + second, d_sums + 2, 8);
  }
}

#define INSTRUCTION(Name, bits, depth, registers, Word, ...)                                                                      \
  struct Name {                                                                                                                   \
    static constexpr int kBits = bits, kDepth = depth, kRegisters = registers;                                                    \
    using Sums = Word;                                                                                                            \
    void operator()(Word& d, const std::uint32_t (&a)[2 * registers], const std::uint32_t (&b)[registers], const Word& c) const { \
      assay::__VA_ARGS__(d, a, b, c);                                                                                             \
    }                                                                                                                             \
  }
using F4 = float[4];
using I4 = int[4];
using H2 = std::uint32_t[2];
INSTRUCTION(Bf16, 16, 16, 2, F4, mma_m16n8k16<__nv_bfloat16>);
INSTRUCTION(Fp16, 16, 16, 2, F4, mma_m16n8k16<__half>);
INSTRUCTION(Fp16Half, 16, 16, 2, H2, mma_m16n8k16<__half>);
INSTRUCTION(ShortBf16, 16, 8, 1, F4, mma_m16n8k8<__nv_bfloat16>);
INSTRUCTION(ShortFp16, 16, 8, 1, F4, mma_m16n8k8<__half>);
INSTRUCTION(ShortFp16Half, 16, 8, 1, H2, mma_m16n8k8<__half>);
INSTRUCTION(Tf32, 32, 8, 2, F4, mma_m16n8k8<assay::Tf32>);
INSTRUCTION(E4m3, 8, 32, 2, F4, mma_m16n8k32<__nv_fp8_e4m3>);
INSTRUCTION(E5m2, 8, 32, 2, F4, mma_m16n8k32<__nv_fp8_e5m2>);
INSTRUCTION(E4m3Half, 8, 32, 2, H2, mma_m16n8k32<__nv_fp8_e4m3>);
INSTRUCTION(E5m2Half, 8, 32, 2, H2, mma_m16n8k32<__nv_fp8_e5m2>);
INSTRUCTION(S8, 8, 32, 2, I4, mma_m16n8k32<std::int8_t>);
INSTRUCTION(U8S8, 8, 32, 2, I4, mma_m16n8k32<std::uint8_t, std::int8_t>);

class WarpMultiplyTest : public Emulator {
 protected:
  // How many of the outputs are not what `model(a, b, c)` says, a and b called with 0 .. k - 1.
  template <class Instruction, class Model>
  int differences(Instruction instruction, tensor::Input input, tensor::Accumulator accumulator, Draw draw, Model model) {
    constexpr int k = Instruction::kDepth;
    tensor::Random64 random{17};
    DeviceVector<std::uint32_t> a(16 * k), b(8 * k), c(128), d(128);
    int differ = 0;
    for (int round = 0; round < 20; ++round) {
      for (int i = 0; i < 16 * k; ++i) a[i] = draw_input(input, draw, random);
      for (int i = 0; i < 8 * k; ++i) b[i] = draw_input(input, draw, random);
      for (int i = 0; i < 128; ++i) c[i] = draw_addend(accumulator, draw, random, c[i]);
      EXPECT_EQ(assay::launch(multiplies<Instruction>, 1, 32, 0, nullptr, a.data(), b.data(), c.data(), d.data(), instruction), cudaSuccess)
          << last_report();
      for (int i = 0; i < 128; ++i)
        differ += d[i] != model([&](int n) { return a[i / 8 * k + n]; }, [&](int n) { return b[i % 8 * k + n]; }, c[i]);
    }
    return differ;
  }

  template <class Instruction>
  void expect_model(Instruction instruction, tensor::Input input, tensor::Accumulator accumulator) {
    for (const tensor::Parameters& row : tensor::kParameters) {
      if (row.architecture != tensor::Architecture::sm_90 || row.family != tensor::Family::mma_sync || row.input != input ||
          row.accumulator != accumulator)
        continue;
      for (int draw = 0; draw < tensor::kDraws; ++draw)
        EXPECT_EQ(differences(instruction, input, accumulator, Draw(draw),
                              [&](auto a, auto b, std::uint32_t c) { return dot(row, Instruction::kDepth, a, b, c); }),
                  0)
            << tensor::name(Draw(draw));
    }
  }

  template <class Instruction>
  void expect_integers(Instruction instruction, bool a_signed, bool b_signed) {
    EXPECT_EQ(differences(instruction, tensor::Input::e4m3, tensor::Accumulator::fp32, Draw::any_bits,
                          [&](auto a, auto b, std::uint32_t c) { return tensor::integer_dot(a_signed, b_signed, 32, a, b, c); }),
              0);
  }
};

constexpr auto kFp32 = tensor::Accumulator::fp32, kFp16 = tensor::Accumulator::fp16;

TEST_F(WarpMultiplyTest, Bf16) {
  expect_model(Bf16(), tensor::Input::bf16, kFp32);
  expect_model(ShortBf16(), tensor::Input::bf16, kFp32);
}
TEST_F(WarpMultiplyTest, Fp16) {
  expect_model(Fp16(), tensor::Input::fp16, kFp32);
  expect_model(ShortFp16(), tensor::Input::fp16, kFp32);
}
TEST_F(WarpMultiplyTest, Fp16IntoFp16) {
  expect_model(Fp16Half(), tensor::Input::fp16, kFp16);
  expect_model(ShortFp16Half(), tensor::Input::fp16, kFp16);
}
TEST_F(WarpMultiplyTest, Tf32) { expect_model(Tf32(), tensor::Input::tf32, kFp32); }
TEST_F(WarpMultiplyTest, Fp8) {
  expect_model(E4m3(), tensor::Input::e4m3, kFp32);
  expect_model(E5m2(), tensor::Input::e5m2, kFp32);
}
TEST_F(WarpMultiplyTest, Fp8IntoFp16) {
  expect_model(E4m3Half(), tensor::Input::e4m3, kFp16);
  expect_model(E5m2Half(), tensor::Input::e5m2, kFp16);
}
TEST_F(WarpMultiplyTest, Integers) {
  expect_integers(S8(), true, true);
  expect_integers(U8S8(), false, true);
}

__global__ void accumulates_in_place(float* out, int rounds) {
  std::uint32_t a[4], b[2];
  for (auto& word : a) word = 0x3f803f80;
  for (auto& word : b) word = 0x3f803f80;
  float sums[4] = {};
  for (int i = 0; i < rounds; ++i) assay::mma_m16n8k16<__nv_bfloat16>(sums, a, b, sums);
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = sums[i];
}

TEST_F(WarpMultiplyTest, EveryWarpAccumulatesItsOwnTile) {
  DeviceVector<float> out(96 * 4);
  ASSERT_EQ(assay::launch(accumulates_in_place, 1, 96, 0, nullptr, out.data(), 5), cudaSuccess) << last_report();
  for (float value : out.host()) EXPECT_EQ(value, 80.0f);
}

__global__ void multiplies_in_half_a_warp(float* out) {
  if (threadIdx.x < 16) return;
  std::uint32_t a[4] = {}, b[2] = {};
  float sums[4] = {};
  assay::mma_m16n8k16<__nv_bfloat16>(sums, a, b, sums);
  out[threadIdx.x] = sums[0];
}

TEST_F(WarpMultiplyTest, AWarpWithoutAllItsLanesIsReported) {
  DeviceVector<float> out(32);
  EXPECT_EQ(assay::launch(multiplies_in_half_a_warp, 1, 32, 0, nullptr, out.data()), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported({"multiplies_in_half_a_warp", "warp_multiply_test.cpp:", "all 32 must execute it"}));
}

// Element (row, column) of matrix m holds m * 64 + row * 8 + column. out[register * 32 + lane], two elements a word.
__global__ void loads(std::uint32_t* out) {
  __shared__ __align__(16) std::uint16_t matrices[4][8][8];
  const unsigned lane = threadIdx.x;
  for (unsigned i = lane; i < 256; i += 32) matrices[i / 64][i / 8 % 8][i % 8] = static_cast<std::uint16_t>(i);
  __syncwarp();
  const void* row = matrices[lane / 8][lane % 8];
  std::uint32_t r[4], two[2], one[1];
  assay::ldmatrix_x4(r, row);
  for (int i = 0; i < 4; ++i) out[i * 32 + lane] = r[i];
  assay::ldmatrix_x4_trans(r, row);
  for (int i = 0; i < 4; ++i) out[(4 + i) * 32 + lane] = r[i];
  assay::ldmatrix_x2(two, row);
  for (int i = 0; i < 2; ++i) out[(8 + i) * 32 + lane] = two[i];
  assay::ldmatrix_x1_trans(one, row);
  out[10 * 32 + lane] = one[0];
}

TEST_F(WarpMultiplyTest, LdmatrixSpreadsRowsOrColumnsOverTheLanes) {
  DeviceVector<std::uint32_t> out(11 * 32);
  ASSERT_EQ(assay::launch(loads, 1, 32, 0, nullptr, out.data()), cudaSuccess) << last_report();
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned outer = lane / 4, inner = lane % 4 * 2;
    const unsigned plain = (outer * 8 + inner) | (outer * 8 + inner + 1) << 16;
    const unsigned transposed = (inner * 8 + outer) | ((inner + 1) * 8 + outer) << 16;
    for (unsigned m = 0; m < 4; ++m) {
      EXPECT_EQ(out[m * 32 + lane], plain + m * 0x00400040);
      EXPECT_EQ(out[(4 + m) * 32 + lane], transposed + m * 0x00400040);
    }
    for (unsigned m = 0; m < 2; ++m) EXPECT_EQ(out[(8 + m) * 32 + lane], plain + m * 0x00400040);
    EXPECT_EQ(out[10 * 32 + lane], transposed);
  }
}

__global__ void loads_off_by_one(std::uint32_t* out) {
  __shared__ __align__(16) std::uint16_t matrix[80];
  std::uint32_t r[1];
  assay::ldmatrix_x1(r, matrix + threadIdx.x % 8 * 8 + 1);
  out[threadIdx.x] = r[0];
}

TEST_F(WarpMultiplyTest, LdmatrixOfRowsThatAreNotAlignedIsReported) {
  DeviceVector<std::uint32_t> out(32);
  EXPECT_EQ(assay::launch(loads_off_by_one, 1, 32, 0, nullptr, out.data()), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported({"loads_off_by_one", "multiple of 16"}));
}

}  // namespace
}  // namespace simt
