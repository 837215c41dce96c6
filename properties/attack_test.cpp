// Bounds under attack: no climb gets past a bound, and a bound that leaves something out is found out.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "properties/generators/attack.hpp"

namespace assay::properties {
namespace {

struct Target {
  const char *subject, *line;
  int steps = 1500;
};

// For subjects whose launch makes a tile of 128 x 256 whatever the shape: the arithmetic of others, at ten times the cost of a step.
constexpr int kWideSteps = 150;

class Bounds : public testing::TestWithParam<Target> {};

TEST_P(Bounds, HoldUnderAClimb) {
  Bench bench({.workers = 1});
  const Subject& subject = *find<Subject>(GetParam().subject);
  for (uint64_t seed : {1, 2}) {
    const Climb climb = attack(bench, subject, parse_case(GetParam().line), GetParam().steps, seed);
    EXPECT_EQ(climb.failure, "");
    EXPECT_LE(climb.reached, 1);
    EXPECT_GE(climb.reached, climb.start);
    fmt::print("{:<29} {:.3f} -> {:.3f} of the bound ({}), {} steps up\n", subject.name, climb.start, climb.reached, name(climb.term),
               climb.accepted);
    RecordProperty(fmt::format("reached_{}", seed), fmt::format("{:.4f}", climb.reached));
  }
}

constexpr Target kTargets[] = {
    {"fused_add_rms_norm", "fused_add_rms_norm rows=1 d=24 fill=normal seed=1"},
    {"fused_add_rms_norm", "fused_add_rms_norm rows=1 d=200 fill=one_sided seed=2"},
    {"silu_and_mul", "silu_and_mul rows=1 d=2048 fill=normal seed=1"},
    {"silu_and_mul_rounded", "silu_and_mul rows=1 d=4096 fill=normal seed=2"},
    {"rope_neox", "rope_neox tokens=1 q_heads=2 k_heads=1 head_size=8 rot_dim=8 max_position=1 fill=normal seed=1"},
    {"w4a16_gemv", "w4a16_gemv m=1 n=4 k=128 group=32 fill=normal seed=1"},
    {"w4a16_gemv", "w4a16_gemv m=1 n=2 k=64 group=8 fill=one_sided seed=2"},
    {"gptq_gemm", "gptq_gemm m=1 n=8 k=16 group=8 fill=normal seed=1"},
    {"gptq_gemm", "gptq_gemm m=1 n=8 k=264 group=24 fill=one_sided seed=2"},
    {"gptq_gemm_atomic", "gptq_gemm m=1 n=8 k=512 group=32 fill=normal seed=3"},
    {"gptq_gemm_many", "gptq_gemm m=51 n=8 k=16 group=8 fill=normal seed=1"},
    {"awq_gemm", "awq_gemm m=1 n=8 k=96 group=32 split_k=2 fill=normal seed=1"},
    {"bf16_gemm", "bf16_gemm m=1 n=4 k=96 fill=normal seed=1"},
    {"bf16_gemm", "bf16_gemm m=1 n=2 k=200 split_k=3 bias=1 fill=one_sided seed=2"},
    {"bf16_gemm", "bf16_gemm m=1 n=2 k=48 bias=1 activation=silu fill=normal seed=3"},
    {"fp8_scaled_gemm", "fp8_scaled_gemm m=1 n=2 k=96 dtype=fp16 fill=normal seed=1"},
    {"fp8_scaled_gemm_promoted", "fp8_scaled_gemm m=1 n=2 k=160 dtype=fp16 fill=one_sided seed=2"},
    {"fp8_scaled_gemm_mma", "fp8_scaled_gemm m=1 n=2 k=96 dtype=fp16 fill=normal seed=3"},
    {"fp8_scaled_gemm_wide", "fp8_scaled_gemm m=1 n=2 k=96 dtype=fp16 fill=normal seed=4", kWideSteps},
    {"fp8_scaled_gemm_promoted_wide", "fp8_scaled_gemm m=1 n=2 k=160 dtype=fp16 fill=normal seed=5", kWideSteps},
    {"fp8_block_gemm", "fp8_block_gemm m=1 n=2 k=160 fill=normal seed=1"},
    {"fp8_block_gemm_mma", "fp8_block_gemm m=1 n=2 k=160 fill=normal seed=2"},
    {"fp8_block_gemm_wide", "fp8_block_gemm m=1 n=2 k=160 fill=normal seed=3", kWideSteps},
    {"w4a16_gemm", "w4a16_gemm m=1 n=64 k=64 group=32 dtype=fp16 sms=1 fill=normal seed=1"},
    {"w4a16_gemm", "w4a16_gemm m=2 n=64 k=512 group=64 zeros=1 sms=3 fill=one_sided seed=2"},
    {"w8a16_fp8_gemm", "w8a16_fp8_gemm m=1 n=64 k=256 group=128 dtype=fp16 sms=3 fill=normal seed=1"},
};
INSTANTIATE_TEST_SUITE_P(All, Bounds, testing::ValuesIn(kTargets),
                         [](const auto& info) { return fmt::format("{}_{}", info.param.subject, info.index); });

/// There is nothing to climb where every element has one legal value, so that none uses a share of a bound; nor at rope_cache, whose bound
/// is 2^-29 of an ulp of its FP32 output, which no output can show.
TEST(Attacks, LeaveOutOnlySubjectsWithoutABound) {
  for (const Subject& subject : registry<Subject>()) {
    if (std::ranges::any_of(kTargets, [&](const Target& t) { return t.subject == subject.name; }) || subject.name == "rope_cache") continue;
    Bench bench({.workers = 1});
    const Verdict verdict = bench.judged(subject, standard_case(*find<Contract>(subject.contract)));
    EXPECT_EQ(verdict.outcome, Outcome::pass) << subject.name << ": " << verdict.reason;
    EXPECT_EQ(verdict.worst_share, -INFINITY) << subject.name << " has a bound that nothing attacks";
  }
}

/// Attacks the subject under a declaration that leaves something out, with fresh starts until the judge objects.
bool is_broken(const char* name, const char* line, const Arithmetic& understated) {
  Subject subject = *find<Subject>(name);
  subject.arithmetic = [understated](const Parameters&) { return understated; };
  Bench bench({.workers = 1});
  for (uint64_t seed = 1; seed <= 20; seed++)
    if (!attack(bench, subject, parse_case(line), 2000, seed).failure.empty()) return true;
  return false;
}

TEST(UnderstatedBounds, AreBrokenWhenTheSumIsCalledExact) {
  EXPECT_TRUE(is_broken("w4a16_gemv", "w4a16_gemv m=1 n=4 k=128 group=32 fill=normal seed=1", Arithmetic().with("dot", Sum{.depth = 0})));
}

TEST(UnderstatedBounds, AreBrokenWhenFp16ChainsAreCalledFp32) {
  Dot dot{.instruction = packed_fp16_fma(8), .chains = {{.first = 0, .end = 16}}, .promotion = {.every = 8}};
  dot.instruction.rounding = Rounding::fp32_to_nearest;
  EXPECT_TRUE(is_broken("gptq_gemm", "gptq_gemm m=1 n=8 k=16 group=8 fill=normal seed=1", Arithmetic().with("dot", dot)));
}

TEST(UnderstatedBounds, AreBrokenWhenPartsAreNotSaidToBeRounded) {
  const Dot dot{.instruction = sm_90::mma_fp16(), .chains = {{.first = 0, .end = 96}}};
  EXPECT_TRUE(is_broken("awq_gemm", "awq_gemm m=1 n=8 k=96 group=32 split_k=2 fill=normal seed=1",
                        Arithmetic().with("weight", Round{Format::fp16}).with("dot", dot)));
}

TEST(UnderstatedBounds, AreBrokenWhenATensorCoresSumIsRoundedOnce) {
  const Instruction once{.name = "once", .depth = 96, .terms = 96, .aligned_bits = 0, .rounding = Rounding::fp32_to_nearest};
  EXPECT_TRUE(is_broken("bf16_gemm", "bf16_gemm m=1 n=4 k=96 fill=normal seed=1", Arithmetic().with("dot", Dot{.instruction = once, .chains = {{.first = 0, .end = 96}}})));
}

TEST(UnderstatedBounds, AreBrokenWhenTheTensorCoresThirteenBitsAreCalledFp32) {
  const Arithmetic declared = find<Subject>("fp8_scaled_gemm")->arithmetic(parse_case("fp8_scaled_gemm m=1 n=2 k=96 fill=normal seed=1").parameters);
  Dot dot = declared.dot("dot");
  dot.instruction.rounding = Rounding::fp32_toward_zero, dot.instruction.aligned_bits = 25;
  Arithmetic understated;
  understated.with("dot", dot).with("b_scale", Ops{}).with("a_scale", Ops{}).with("bias", Ops{});
  EXPECT_TRUE(is_broken("fp8_scaled_gemm", "fp8_scaled_gemm m=1 n=2 k=96 dtype=fp16 fill=normal seed=1", understated));
}

TEST(UnderstatedBounds, AreBrokenWhenOneRotationProductIsCalledExact) {
  EXPECT_TRUE(is_broken("rope_neox", "rope_neox tokens=1 q_heads=2 k_heads=1 head_size=8 rot_dim=8 max_position=1 fill=normal seed=1",
                                        Arithmetic().with("product", Ops{.count = 0}).with("sum", Ops{.count = 1})));
}

TEST(UnderstatedBounds, AreBrokenWhenSiluIsCalledExact) {
  Arithmetic understated;
  understated.with("exp", Fn{.function = "exp"}).with("one_plus", Ops{.count = 0}).with("divide", Ops{.count = 0}).with("product", Ops{.count = 0});
  EXPECT_TRUE(is_broken("silu_and_mul", "silu_and_mul rows=1 d=2048 fill=normal seed=1", understated));
}

TEST(UnderstatedBounds, AreBrokenWhenTheReciprocalRootIsCalledExact) {
  Arithmetic understated;
  understated.with("sum", Sum{.depth = 0}).with("mean", Ops{.count = 0}).with("epsilon", Ops{.count = 0}).with("rsqrt", Fn{.function = "rsqrt"})
      .with("normalise", Ops{.count = 0}).with("weight", Ops{.count = 0});
  EXPECT_TRUE(is_broken("fused_add_rms_norm", "fused_add_rms_norm rows=1 d=24 fill=normal seed=1", understated));
}

}  // namespace
}  // namespace assay::properties
