#include <algorithm>

#include "kernels/simt/runtime/test_device.hpp"
// Kernels first, then what they include.
#include "kernels/ptx.h"
#include "kernels/simt/tensor/dot.hpp"
#include "kernels/simt/tensor/operands.hpp"
#include "kernels/simt/tensor/shared_image.hpp"

namespace simt {
namespace {

using assay::Major;
using tensor::Draw;
using tensor::SharedImage;

template <class Input, int N, class Sum, bool kFromRegisters, int kWidth, bool kTransposed, int kScale>
struct Instruction {
  static constexpr int kColumns = N, kDepth = 32 / sizeof(Input);
  static constexpr bool kRegisters = kFromRegisters;
  static constexpr Major kMajor = kTransposed ? Major::mn : Major::k;
  using Wgmma = assay::Wgmma<Input, N, Sum, kFromRegisters ? Major::k : kMajor, kMajor, 1, kScale>;
  static constexpr assay::Swizzle kSwizzle = kWidth == 128  ? assay::Swizzle::bytes128
                                             : kWidth == 64 ? assay::Swizzle::bytes64
                                             : kWidth == 32 ? assay::Swizzle::bytes32
                                                            : assay::Swizzle::none;
  static constexpr SharedImage kA{kWidth, 64, sizeof(Input), kTransposed}, kB{kWidth, N, sizeof(Input), kTransposed};
};

template <class I>
struct Operands {
  const unsigned char *a_image, *b_image;  // as they lie in shared memory
  const std::uint32_t* a;                  // row-major, a code a word
  const std::uint32_t* c;                  // 64 x N, row-major; packed as registers hold them
  std::uint32_t* d;
};

__device__ unsigned char* aligned(unsigned char* shared) {
  return reinterpret_cast<unsigned char*>((reinterpret_cast<std::uintptr_t>(shared) + 1023) / 1024 * 1024);
}

template <class I>
__device__ void read_fragment(const std::uint32_t* a, std::uint32_t (&words)[4]) {
  constexpr int k = I::kDepth, per_word = k / 8;
  const int warp = static_cast<int>(threadIdx.x) / 32, group = static_cast<int>(threadIdx.x) % 32 / 4,
            thread = static_cast<int>(threadIdx.x) % 4;
  for (int i = 0; i < 4; ++i) {
    const int row = warp * 16 + group + (i % 2) * 8, first = thread * per_word + (i / 2) * 4 * per_word;
    words[i] = 0;
    for (int e = 0; e < per_word; ++e) words[i] |= a[row * k + first + e] << (32 / per_word * e);
  }
}

// Registers of D: row group and group + 8 of the warp's 16, columns 8 * j + 2 * (lane % 4) and the next.
template <class Sums, class Move>
__device__ void for_each_register(int columns, Sums& sums, Move move) {
  const int warp = static_cast<int>(threadIdx.x) / 32, group = static_cast<int>(threadIdx.x) % 32 / 4,
            thread = static_cast<int>(threadIdx.x) % 4;
  const int words = static_cast<int>(sizeof(sums) / sizeof(sums[0])), per_word = columns / 2 / words;
  for (int i = 0; i < columns / 2; i += per_word) {
    const int row = warp * 16 + group + i / 2 % 2 * 8, column = i / 4 * 8 + thread * 2 + i % 2;
    move(sums[i / per_word], row * columns + column, per_word);
  }
}

template <class I>
__global__ void multiplies(Operands<I> o) {
  ASSAY_DYNAMIC_SHARED(unsigned char, dynamic);
  unsigned char *a_tile = aligned(dynamic), *b_tile = aligned(a_tile + I::kA.bytes());
  for (int i = static_cast<int>(threadIdx.x); i < I::kA.bytes(); i += 128) a_tile[i] = o.a_image[i];
  for (int i = static_cast<int>(threadIdx.x); i < I::kB.bytes(); i += 128) b_tile[i] = o.b_image[i];
  assay::fence_async_proxy();
  __syncthreads();
  typename I::Wgmma::Sums sums;
  for_each_register(I::kColumns, sums, [&](auto& word, int at, int per_word) {
    std::uint32_t bits = o.c[at];
    if (per_word == 2) bits |= o.c[at + 1] << 16;
    std::memcpy(&word, &bits, 4);
  });
  const auto b = assay::shared_matrix<I::kSwizzle>(b_tile + I::kB.start(), static_cast<unsigned>(I::kB.leading()),
                                                   static_cast<unsigned>(I::kB.stride()));
  std::uint32_t a[4];
  read_fragment<I>(o.a, a);
  assay::wgmma_fence(sums, a);
  if constexpr (I::kRegisters) {
    I::Wgmma::multiply(sums, a, b);
  } else {
    I::Wgmma::multiply(sums,
                       assay::shared_matrix<I::kSwizzle>(a_tile + I::kA.start(), static_cast<unsigned>(I::kA.leading()),
                                                         static_cast<unsigned>(I::kA.stride())),
                       b);
  }
  assay::wgmma_commit();
  assay::wgmma_wait<0>(sums);
  for_each_register(I::kColumns, sums, [&](auto& word, int at, int per_word) {
    std::uint32_t bits;
    std::memcpy(&bits, &word, 4);
    o.d[at] = per_word == 2 ? bits & 0xffff : bits;
    if (per_word == 2) o.d[at + 1] = bits >> 16;
  });
}

std::vector<unsigned char> image(const SharedImage& layout, const std::vector<std::uint32_t>& codes, int k) {
  std::vector<unsigned char> bytes(static_cast<std::size_t>(layout.bytes()));
  for (int outer = 0; outer < layout.outer; ++outer)
    for (int i = 0; i < k; ++i)
      std::memcpy(&bytes[static_cast<std::size_t>(layout.offset(outer, i))], &codes[static_cast<std::size_t>(outer * k + i)],
                  static_cast<std::size_t>(layout.element_bytes));
  return bytes;
}

class WarpgroupMultiplyTest : public Emulator {
 protected:
  template <class I, class Model>
  int differences(tensor::Input input, tensor::Accumulator accumulator, Draw draw, Model model) {
    constexpr int k = I::kDepth, n = I::kColumns;
    tensor::Random64 random{static_cast<std::uint64_t>(n)};
    std::vector<std::uint32_t> a(64 * k), b(n * k), c(64 * n);
    for (auto& code : a) code = draw_input(input, draw, random);
    for (auto& code : b) code = draw_input(input, draw, random);
    for (auto& code : c) code = draw_addend(accumulator, draw, random, 0x3c00);
    DeviceVector<unsigned char> a_image(image(I::kA, a, k)), b_image(image(I::kB, b, k));
    DeviceVector<std::uint32_t> a_device(a), c_device(c), d(c.size());
    const std::size_t bytes = static_cast<std::size_t>(I::kA.bytes() + I::kB.bytes()) + 2048;
    EXPECT_EQ(assay::launch(multiplies<I>, 1, 128, bytes, nullptr,
                            Operands<I>{a_image.data(), b_image.data(), a_device.data(), c_device.data(), d.data()}),
              cudaSuccess)
        << last_report();
    int differ = 0;
    for (int i = 0; i < 64 * n; ++i)
      differ += d[static_cast<std::size_t>(i)] != model([&](int j) { return a[static_cast<std::size_t>(i / n * k + j)]; },
                                                        [&](int j) { return b[static_cast<std::size_t>(i % n * k + j)]; },
                                                        c[static_cast<std::size_t>(i)]);
    return differ;
  }

  template <class Input, int N, class Sum, bool kFromRegisters, int kWidth, bool kTransposed = false, int kScale = 1>
  void expect_model(tensor::Input input) {
    using I = Instruction<Input, N, Sum, kFromRegisters, kWidth, kTransposed, kScale>;
    const auto accumulator = std::is_same_v<Sum, __half> ? tensor::Accumulator::fp16 : tensor::Accumulator::fp32;
    const std::uint32_t sign = kScale < 0 ? 1u << (format(input).bits() - 1) : 0;
    const auto* row = std::find_if(std::begin(tensor::kParameters), std::end(tensor::kParameters), [&](const auto& p) {
      return p.family == tensor::Family::wgmma && p.input == input && p.accumulator == accumulator;
    });
    for (Draw draw : {Draw::near_normal, Draw::any_bits, Draw::wide, Draw::grid_edge})
      EXPECT_EQ((differences<I>(input, accumulator, draw,
                                [&](auto a, auto b, std::uint32_t c) {
                                  return dot(
                                      *row, I::kDepth, a, [&](int i) { return b(i) ^ sign; }, c);
                                })),
                0)
          << name(draw) << ", N = " << N << ", width " << kWidth << (kTransposed ? ", transposed" : "");
  }
};

TEST_F(WarpgroupMultiplyTest, Bf16OfEveryWidthFromRegisters) {
  expect_model<__nv_bfloat16, 8, float, true, 16>(tensor::Input::bf16);
  expect_model<__nv_bfloat16, 16, float, true, 32>(tensor::Input::bf16);
  expect_model<__nv_bfloat16, 32, float, true, 64>(tensor::Input::bf16);
  expect_model<__nv_bfloat16, 64, float, true, 128>(tensor::Input::bf16);
  expect_model<__nv_bfloat16, 96, float, true, 128>(tensor::Input::bf16);
  expect_model<__nv_bfloat16, 128, float, true, 128>(tensor::Input::bf16);
  expect_model<__nv_bfloat16, 192, float, true, 128>(tensor::Input::bf16);
  expect_model<__nv_bfloat16, 256, float, true, 128>(tensor::Input::bf16);
}

TEST_F(WarpgroupMultiplyTest, BothOperandsFromSharedMemoryWithEverySwizzle) {
  expect_model<__nv_bfloat16, 64, float, false, 16>(tensor::Input::bf16);
  expect_model<__nv_bfloat16, 64, float, false, 32>(tensor::Input::bf16);
  expect_model<__nv_bfloat16, 64, float, false, 64>(tensor::Input::bf16);
  expect_model<__nv_bfloat16, 64, float, false, 128>(tensor::Input::bf16);
}

TEST_F(WarpgroupMultiplyTest, BothOperandsTransposedWithEverySwizzle) {
  expect_model<__half, 128, float, false, 16, true>(tensor::Input::fp16);
  expect_model<__half, 128, float, false, 32, true>(tensor::Input::fp16);
  expect_model<__half, 128, float, false, 64, true>(tensor::Input::fp16);
  expect_model<__half, 128, float, false, 128, true>(tensor::Input::fp16);
}

TEST_F(WarpgroupMultiplyTest, OtherTypes) {
  expect_model<__half, 64, __half, true, 128>(tensor::Input::fp16);
  expect_model<assay::Tf32, 64, float, true, 128>(tensor::Input::tf32);
  expect_model<assay::Tf32, 8, float, false, 64>(tensor::Input::tf32);
  expect_model<__nv_fp8_e4m3, 128, float, false, 128>(tensor::Input::e4m3);
  expect_model<__nv_fp8_e5m2, 64, float, true, 32>(tensor::Input::e5m2);
  expect_model<__nv_fp8_e4m3, 96, __half, true, 64>(tensor::Input::e4m3);
  expect_model<__nv_fp8_e5m2, 16, __half, false, 16>(tensor::Input::e5m2);
}

TEST_F(WarpgroupMultiplyTest, AScaleOfMinusOneNegatesTheOperand) {
  expect_model<__nv_bfloat16, 64, float, false, 128, false, -1>(tensor::Input::bf16);
  expect_model<__nv_fp8_e4m3, 64, float, true, 128, false, -1>(tensor::Input::e4m3);
}

TEST_F(WarpgroupMultiplyTest, Integers) {
  using I = Instruction<std::int8_t, 64, int, false, 128, false, 1>;
  EXPECT_EQ(differences<I>(tensor::Input::e4m3, tensor::Accumulator::fp32, Draw::any_bits,
                           [](auto a, auto b, std::uint32_t c) { return tensor::integer_dot(true, true, 32, a, b, c); }),
            0);
}

// What goes wrong without one of the steps. B is a matrix of ones; so is A; 16 products make 16.
enum class Step { all, no_proxy_fence, no_register_fence, no_wait, write_before_wait, no_second_fence, chain, add_without_fence };

__global__ void steps(float* out, Step step) {
  ASSAY_DYNAMIC_SHARED(unsigned char, dynamic);
  auto* tile = reinterpret_cast<std::uint16_t*>(aligned(dynamic));
  const int lane = static_cast<int>(threadIdx.x);
  tile[lane] = 0x3f80;
  if (step != Step::no_proxy_fence) assay::fence_async_proxy();
  __syncthreads();
  using Wgmma = assay::Wgmma<__nv_bfloat16, 8>;
  const std::uint32_t a[4] = {0x3f803f80, 0x3f803f80, 0x3f803f80, 0x3f803f80};
  const auto b = assay::shared_matrix<assay::Swizzle::none>(tile, 128, 256);
  Wgmma::Sums sums = {1, 1, 1, 1};
  if (step != Step::no_register_fence) assay::wgmma_fence(sums);
  Wgmma::multiply(sums, a, b);
  if (step == Step::chain) Wgmma::multiply(sums, a, b);
  assay::wgmma_commit();
  if (step == Step::write_before_wait) {
    tile[lane] = 0;
    assay::fence_async_proxy();
    __syncthreads();
  }
  if (step != Step::no_wait) assay::wgmma_wait<0>(sums);
  if (step == Step::no_second_fence || step == Step::add_without_fence) {
    __syncthreads();
    if (step == Step::no_second_fence) tile[lane] = 0x4000;
    if (step == Step::add_without_fence)
      for (float& sum : sums) sum = 0;
    __syncthreads();
    if (step == Step::no_second_fence) assay::wgmma_fence(sums);
    const auto shared_a = assay::shared_matrix<assay::Swizzle::none>(tile, 0, 0);
    Wgmma::multiply(sums, shared_a, b);
    assay::wgmma_commit();
    assay::wgmma_wait<0>(sums);
  }
  for (int i = 0; i < 4; ++i) out[lane * 4 + i] = sums[i];
}

class WarpgroupStepsTest : public Emulator {
 protected:
  float result(Step step) {
    DeviceVector<float> out(512);
    EXPECT_EQ(assay::launch(steps, 1, 128, 4096, nullptr, out.data(), step), cudaSuccess) << last_report();
    for (int i = 0; i < 512; ++i) EXPECT_TRUE(out[i] == out[0] || out[0] != out[0]);
    return out[0];
  }
};

TEST_F(WarpgroupStepsTest, WithAllOfThemTheSumIsRight) { EXPECT_EQ(result(Step::all), 17.0f); }
TEST_F(WarpgroupStepsTest, MultipliesOfOneGroupFollowEachOther) { EXPECT_EQ(result(Step::chain), 33.0f); }
TEST_F(WarpgroupStepsTest, WithoutTheProxyFenceStoresAreNotSeen) { EXPECT_TRUE(std::isnan(result(Step::no_proxy_fence))); }
TEST_F(WarpgroupStepsTest, WithoutTheRegisterFenceNothingIsKnown) { EXPECT_TRUE(std::isnan(result(Step::no_register_fence))); }
TEST_F(WarpgroupStepsTest, WithoutTheWaitTheAccumulatorsAreOld) { EXPECT_EQ(result(Step::no_wait), 1.0f); }
TEST_F(WarpgroupStepsTest, OperandsOverwrittenBeforeTheWaitShow) { EXPECT_EQ(result(Step::write_before_wait), 1.0f); }
TEST_F(WarpgroupStepsTest, LaterStoresNeedAFenceAgain) { EXPECT_EQ(result(Step::no_second_fence), 33.0f); }
TEST_F(WarpgroupStepsTest, AccumulatorsChangedWithoutAFenceAreSeenAsTheyWere) { EXPECT_EQ(result(Step::add_without_fence), 33.0f); }

__global__ void in_half_a_warpgroup(float* out) {
  ASSAY_DYNAMIC_SHARED(unsigned char, tile);
  assay::Wgmma<__nv_bfloat16, 8>::Sums sums = {};
  const auto m = assay::shared_matrix<assay::Swizzle::none>(tile, 128, 256);
  assay::wgmma_fence(sums);
  assay::Wgmma<__nv_bfloat16, 8>::multiply(sums, m, m);
  out[threadIdx.x] = sums[0];
}

TEST_F(WarpgroupStepsTest, ABlockWithoutAWholeWarpgroupIsReported) {
  DeviceVector<float> out(64);
  EXPECT_EQ(assay::launch(in_half_a_warpgroup, 1, 64, 4096, nullptr, out.data()), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported({"in_half_a_warpgroup", "a warpgroup is 4 warps"}));
}

}  // namespace
}  // namespace simt
