// Cases at the edges of what makes a sum exact, each one against arithmetic done by hand. Random data is held against the bit model of the
// emulator in fixtures/bounds_test.cpp.
#include "oracles/arithmetic/dot_bound.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace assay {
namespace {

DotResult bounded(const Dot& dot, const std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& scales = {}) {
  const std::vector<std::vector<double>> columns{b}, column_scales{scales};
  const std::vector<double> ones(scales.size(), 1.0);
  std::array<DotResult, kPanelColumns> results;
  bound_dots(dot, DotRow(a, ones, dot.instruction), DotPanel(columns, scales.empty() ? std::span<const std::vector<double>>() : column_scales, dot.instruction),
             scales.empty() ? 0 : int64_t(a.size() / scales.size()), false, results);
  return results[0];
}

/// Eights of k in packed FP16, promoted with a scale into FP32; parts of 8 or all together.
Dot packed(std::vector<Chain> chains) {
  return {.instruction = packed_fp16_fma(8), .chains = std::move(chains), .promotion = {.every = 8},
          .combination = {.part = Format::fp16, .sum = Format::fp16, .into_output = true}};
}

/// 2048 + 1 + 2^-48, the last part too small for FP64: FP32 keeps 2049, FP16 makes 2048 of it, where the exact sum rounds to 2050.
TEST(DotBound, ASumThatOnlyFp64TakesForRepresentableIsNot) {
  std::vector<double> a(24), b(24, 1.0);
  a[0] = 1, a[8] = 1, a[16] = 0x1p-24;
  const std::vector<double> scales{2048, 1, 0x1p-24};
  const double exact = 2049 + 0x1p-48;
  Dot one = packed({{.end = 24}});
  EXPECT_GE(bounded(one, a, b, scales).bound.total(), 0x1p-48) << "FP32 loses the last part";
  for (bool ascending : {true, false}) {
    Dot two = packed({{.first = 0, .end = 16}, {.first = 16, .end = 24}});
    two.combination.ascending = ascending;
    const DotResult r = bounded(two, a, b, scales);
    EXPECT_GE(r.bound.total(), exact - 2048) << "the first part is 2048 in FP16, and the second adds nothing";
    EXPECT_EQ(r.value, 2049);
    EXPECT_GE(r.radius, 0x1p-48);
  }
}

TEST(DotBound, ASumThatHappensToBeRepresentableIsExact) {
  std::vector<double> a(16, 0.0), b(16, 1.0);
  a[0] = 0x1p20, a[1] = 0x1p-10, a[2] = -0x1p-10;   // the grid is finer than FP32 has bits for, the sum is not
  Dot dot{.instruction = fp32_fma(), .chains = {{.end = 16}}};
  EXPECT_GT(bounded(dot, a, b).bound.total(), 0) << "2^20 + 2^-10 needs 31 bits on the way";
  a[1] = a[2] = 0, a[3] = 0x1p-3;
  EXPECT_EQ(bounded(dot, a, b).bound.total(), 0) << "2^20 + 2^-3 fits";
}

/// FP16 ends at 2^-24: whatever the order, products below half of that vanish.
TEST(DotBound, WithoutAnOrderSubnormalStepsCount) {
  for (auto [x, y] : {std::pair{0x1p-15, 0x1p-15}, {1.25 * 0x1p-12, 1.125 * 0x1p-12}}) {
    const double exact = x * y, stored = std::nearbyint(exact * 0x1p24) * 0x1p-24;
    for (bool ordered : {true, false}) {
      Dot dot{.instruction = sm_90::mma_fp16_fp16()};
      if (ordered) dot.chains = {{.end = 1}};
      EXPECT_GE(bounded(dot, {x}, {y}).bound.total(), std::fabs(exact - stored)) << x << (ordered ? " in order" : "");
      EXPECT_GT(std::fabs(exact - stored), 0);
    }
  }
}

TEST(DotBound, NeighboursAreRoundedBeforeTheList) {
  // FP16: 1 + 0, then 2048 + 1 = 2049, a tie that goes to 2048, then their sum 2049, again 2048; exact 2050
  Dot dot{.instruction = fp32_fma(), .chains = {{0, 1}, {1, 2}, {2, 3}, {3, 4}}, .combination = {.part = Format::fp16, .sum = Format::fp16, .together = 2}};
  EXPECT_GE(bounded(dot, {1, 0, 2048, 1}, {1, 1, 1, 1}).bound.total(), 2);
}

TEST(DotBound, DeclarationsThatCannotBeEvaluatedAreRefused) {
  const std::vector<double> a(64, 1.0), b(64, 1.0);
  auto refuses = [&](const Dot& dot, size_t groups = 0) { EXPECT_THROW(bounded(dot, a, b, std::vector<double>(groups, 1.0)), std::invalid_argument); };
  refuses({.instruction = packed_fp16_fma(8), .chains = {{.end = 64}}});                                                  // nobody adds the two
  refuses({.instruction = packed_fp16_fma(8), .chains = {{.end = 64}}, .promotion = {.every = 32, .inner = 8}});
  refuses({.instruction = fp32_fma(), .chains = {{.end = 64}}, .promotion = {.every = 64}}, 2);                            // across groups
  refuses({.instruction = fp32_fma(), .chains = {{.first = 4, .end = 64}}, .promotion = {.every = 32}}, 2);
  refuses({.instruction = fp32_fma(), .chains = {{.end = 64, .width = 16, .stride = 32}}, .promotion = {.every = 32}}, 2);
  refuses({.instruction = fp32_fma(), .chains = {{.end = 64}}}, 2);                                                        // scales for nobody
  refuses({.instruction = sm_90::mma_fp16(), .combination = {.part = Format::fp16}});                                      // parts of what
  refuses({.instruction = sm_90::mma_fp16(), .chains = {{.end = 64}}, .promotion = {.every = 24}});
  refuses({.instruction = fp32_fma(), .chains = {{.end = 64}}, .combination = {.into_output = true, .together = 2}});
}

}  // namespace
}  // namespace assay
