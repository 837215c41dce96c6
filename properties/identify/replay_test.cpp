// Declared main loops carried out on the host, against the emulator's bit model of the tensor cores.
#include "properties/identify/replay.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "kernels/simt/tensor/dot.hpp"

namespace assay::properties {
namespace {

namespace tensor = simt::tensor;

struct Modelled {
  const char* name;
  Instruction declared;
  tensor::Parameters model;
  Format accumulator = Format::fp32;
  int exponents = 20;  // operands are spread over so many octaves
};

using enum tensor::Architecture;
using enum tensor::Family;
using enum tensor::Input;
constexpr auto kFp32 = tensor::Accumulator::fp32, kFp16 = tensor::Accumulator::fp16;

class Replays : public testing::TestWithParam<Modelled> {};

TEST_P(Replays, TheBitsOfTheModel) {
  const auto& [name, declared, model, accumulator, exponents] = GetParam();
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  const Format in = declared.operands;
  auto drawn = [&] {
    return encode(in, std::ldexp(normal(random), int(random() % uint64_t(exponents)) - exponents / 2), Overflow::saturate);
  };
  const int k = declared.depth;
  for (int trial = 0; trial < 20000; trial++) {
    std::vector<uint64_t> a(static_cast<size_t>(k)), b(static_cast<size_t>(k));
    std::vector<double> x, y;
    for (auto& code : a) code = drawn(), x.push_back(decode(in, code));
    for (auto& code : b) code = drawn(), y.push_back(decode(in, code));
    const uint64_t c = encode(accumulator, std::ldexp(normal(random), int(random() % 12) - 6));
    const uint32_t right = tensor::dot(
        model, k, [&](int i) { return uint32_t(a[size_t(i)]); }, [&](int i) { return uint32_t(b[size_t(i)]); }, uint32_t(c));
    double sum = decode(accumulator, c);
    if (model.composition == tensor::Composition::chained) {
      for (int first = 0; first < k; first += declared.terms)
        sum = fused_sum(declared, sum, std::span(x).subspan(size_t(first), size_t(declared.terms)),
                        std::span(y).subspan(size_t(first), size_t(declared.terms)));
    } else {
      const Loop loop{.dot = {.instruction = declared, .chains = {{.end = k}}, .promotion = promotion_of_mma_e4m3()}};
      sum = rounded(Format::fp32, sum + replay(loop, {.a = x, .b = y}));
    }
    ASSERT_EQ(sum, decode(accumulator, right)) << name << ", trial " << trial;
  }
}

INSTANTIATE_TEST_SUITE_P(Sm90, Replays,
                         testing::Values(Modelled{"bf16", sm_90::mma_bf16(), tensor::parameters(sm_90, mma_sync, bf16, kFp32)},
                                         Modelled{"fp16", sm_90::mma_fp16(), tensor::parameters(sm_90, mma_sync, fp16, kFp32)},
                                         Modelled{"fp16_into_fp16", sm_90::mma_fp16_fp16(),
                                                  tensor::parameters(sm_90, mma_sync, fp16, kFp16), Format::fp16, 8},
                                         Modelled{"wgmma_e4m3", sm_90::wgmma_e4m3(), tensor::parameters(sm_90, wgmma, e4m3, kFp32)},
                                         Modelled{"mma_e4m3", sm_90::mma_e4m3(), tensor::parameters(sm_90, mma_sync, e4m3, kFp32)}),
                         [](const auto& info) { return info.param.name; });

TEST(Replay, RoundsAMultiplyAddOnce) {
  // 1 + 2^-11 lies half-way between two FP16 numbers; the product's tail, 2^-22 more or less, decides.
  const double above = 1 + 0x1p-10, below = 1 - 0x1p-11;
  EXPECT_EQ(fused_multiply_add(Format::fp16, 0x1p-11, above, 1), 1 + 0x1p-10);
  EXPECT_EQ(fused_multiply_add(Format::fp16, 0x1p-11, below, 1), 1);
}

TEST(Replay, AddsPartsInTheDeclaredOrder) {
  // ((2^24 + 1) + 1) loses both ones in FP32; 2^24 + (1 + 1) does not.
  const std::vector<double> a{0x1p24, 1, 1, 0}, b(4, 1.0);
  Dot dot{.instruction = fp32_fma(),
          .chains = {{.first = 0, .end = 1}, {.first = 1, .end = 2}, {.first = 2, .end = 3}, {.first = 3, .end = 4}}};
  EXPECT_EQ(replay({.dot = dot}, {.a = a, .b = b}), 0x1p24);
  std::swap(dot.chains[0], dot.chains[2]);
  EXPECT_EQ(replay({.dot = dot}, {.a = a, .b = b}), 0x1p24 + 2);
  dot.combination.together = 2;  // (1 + 1) + (2^24 + 0)
  EXPECT_EQ(replay({.dot = dot}, {.a = a, .b = b}), 0x1p24 + 2);
  dot.combination.part = Format::fp16;
  EXPECT_EQ(replay({.dot = dot}, {.a = a, .b = b}), INFINITY);
}

TEST(Replay, RefusesAnOrderThatIsNotDeclared) {
  const std::vector<double> a(4, 1.0);
  EXPECT_THROW(replay({.dot = {.instruction = fp32_fma()}}, {.a = a, .b = a}), std::invalid_argument);
}

}  // namespace
}  // namespace assay::properties
