// Identifying kernels whose arithmetic is known: each subject's from its bits alone, with its declaration out of sight, and mutants whose
// arithmetic is another.
#include "properties/identify/identify.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "oracles/arithmetic/parse.hpp"

namespace assay::properties {
namespace {

Identification identified(const std::string& subject, const std::string& line, const std::string& image = "",
                          bool declaration_hidden = false) {
  Subject s = *find<Subject>(subject);
  if (declaration_hidden) s.arithmetic = nullptr;
  Bench bench({.workers = 1, .image = image});
  return identify(bench, s, parse_case(line));
}

std::string text(const Identification& id) {
  std::string all = fmt::format("{}\n{}\n{}\n", fmt::join(id.arithmetic, "\n"), id.why_not, id.disagreement);
  for (const Trait& f : id.findings) all += fmt::format("{}: {}\n", f.name, fmt::join(f.found, " | "));
  return all;
}

const Trait& finding(const Identification& id, const std::string& name) {
  const auto found = std::ranges::find(id.findings, name, &Trait::name);
  if (found == id.findings.end()) throw std::runtime_error("no finding '" + name + "':\n" + text(id));
  return *found;
}

// ---- subjects

struct Known {
  const char *subject, *line;
};

int64_t terms_of(const Case& c) {
  const bool product = std::ranges::any_of(c.parameters.all(), [](const Setting& s) { return s.name == "k"; });
  return c.parameters.whole(product ? "k" : "d");
}

class Subjects : public testing::TestWithParam<Known> {};

TEST_P(Subjects, AreIdentifiedAsTheyDeclare) {
  const Identification id = identified(GetParam().subject, GetParam().line);
  EXPECT_TRUE(id.identified()) << text(id);
  EXPECT_TRUE(id.agreement == Agreement::same || id.agreement == Agreement::wider) << id.declared << "\n" << text(id);
  for (const std::string& found : id.arithmetic)
    EXPECT_EQ(parse_arithmetic(found, terms_of(id.problem)).text(), found);  // as plug-ins declare
}

constexpr Known kKnown[] = {
    {"bf16_gemm", "bf16_gemm m=8 n=8 k=128"},
    {"bf16_gemm", "bf16_gemm m=8 n=8 k=320 split_k=3 bias=1"},
    {"bf16_gemm", "bf16_gemm m=8 n=8 k=64 activation=silu"},
    {"fp8_scaled_gemm", "fp8_scaled_gemm m=8 n=8 k=160 a_scale=per_token b_scale=per_channel"},
    {"fp8_scaled_gemm_promoted", "fp8_scaled_gemm m=8 n=8 k=320 bias=1 dtype=fp16"},
    {"fp8_scaled_gemm_mma", "fp8_scaled_gemm m=8 n=8 k=96"},
    {"fp8_block_gemm", "fp8_block_gemm m=8 n=8 k=320"},
    {"fp8_block_gemm_mma", "fp8_block_gemm m=8 n=8 k=320"},
    {"w4a16_gemm", "w4a16_gemm m=16 n=64 k=384 group=32"},
    {"w4a16_gemm", "w4a16_gemm m=16 n=64 k=256 group=128 sms=2 zeros=1 dtype=fp16"},
    {"w8a16_fp8_gemm", "w8a16_fp8_gemm m=16 n=64 k=192 group=192"},
    {"w4a16_gemv", "w4a16_gemv m=8 n=8 k=256 group=32"},
    {"gptq_gemm", "gptq_gemm m=8 n=8 k=272 group=16"},
    {"gptq_gemm_many", "gptq_gemm m=51 n=8 k=64 group=16 version=2"},
    {"awq_gemm", "awq_gemm m=8 n=8 k=192 group=32 split_k=3"},
    {"silu_and_mul", "silu_and_mul rows=2 d=512"},
    {"silu_and_mul_rounded", "silu_and_mul rows=2 d=512"},
    {"fused_add_rms_norm", "fused_add_rms_norm rows=16 d=768"},
    {"fp8_quant_static", "fp8_quant_static rows=8 d=512"},
    {"fp8_quant_tensor", "fp8_quant_tensor rows=8 d=512"},
    {"fp8_quant_token", "fp8_quant_token rows=16 d=512 bounded=1"},
    {"fp8_quant_group", "fp8_quant_group rows=8 d=512 group=128"},
    {"fp8_quant_group", "fp8_quant_group rows=8 d=512 group=128 scales=ue8m0 eps=0.001 layout=column dtype=fp16"},
};
INSTANTIATE_TEST_SUITE_P(All, Subjects, testing::ValuesIn(kKnown),
                         [](const auto& info) { return fmt::format("{}_{}", info.param.subject, info.index); });

TEST(Identify, LooksAtBitsAndNotAtDeclarations) {
  for (const Known& k :
       {kKnown[0], Known{"fp8_scaled_gemm_mma", "fp8_scaled_gemm m=8 n=8 k=96"}, Known{"w4a16_gemv", "w4a16_gemv m=8 n=8 k=128 group=32"},
        Known{"fp8_quant_token", "fp8_quant_token rows=16 d=512"}}) {
    const Identification seen = identified(k.subject, k.line), hidden = identified(k.subject, k.line, "", true);
    EXPECT_NE(seen.agreement, Agreement::none) << k.subject;
    EXPECT_EQ(hidden.agreement, Agreement::none) << k.subject;
    EXPECT_EQ(hidden.arithmetic, seen.arithmetic) << k.subject;
  }
}

TEST(Identify, EveryFamilyHasASubjectInThisTest) {
  for (const std::string& contract : identifiable_contracts())
    EXPECT_TRUE(std::ranges::any_of(kKnown, [&](const Known& k) { return find<Subject>(k.subject)->contract == contract; })) << contract;
}

TEST(Identify, DeterminesEveryDimensionOfATensorCoreProduct) {
  const Identification id = identified("bf16_gemm", "bf16_gemm m=8 n=8 k=320 split_k=3 bias=1");
  ASSERT_EQ(id.arithmetic.size(), 1u) << text(id);
  for (const Trait& f : id.findings) EXPECT_EQ(f.found.size(), 1u) << f.name;
  const Trait& alignment = finding(id, "alignment");
  EXPECT_EQ(alignment.found.front(), "25 bits");
  for (const char* neighbour : {"24 bits", "26 bits"}) {
    const auto against = std::ranges::find(alignment.contradicted, neighbour, &Contradiction::choice);
    ASSERT_NE(against, alignment.contradicted.end()) << neighbour;
    EXPECT_TRUE(against->input.starts_with("bf16_gemm m=8 n=8 k=320")) << against->input;
    EXPECT_TRUE(against->difference.starts_with("y[")) << against->difference;
  }
}

TEST(Identify, SaysThatBitsChangeFromRunToRun) {
  const Identification id = identified("gptq_gemm_atomic", "gptq_gemm m=8 n=8 k=512 group=32");
  EXPECT_FALSE(id.identified());
  EXPECT_NE(id.why_not.find("change from run to run"), std::string::npos) << id.why_not;
}

TEST(Identify, RefusesWhatItCannotLookAt) {
  EXPECT_THROW(identified("gptq_gemm", "gptq_gemm m=1 n=8 k=64 group=16 act_order=1"), BadInput);
  EXPECT_THROW(identified("bf16_gemm", "bf16_gemm m=0 n=8 k=64"), BadInput);
  EXPECT_THROW(identified("bf16_gemm", "bf16_gemm m=4096 n=4096 k=4096"), BadInput);
  EXPECT_THROW(identified("fp8_scaled_gemm", "fp8_scaled_gemm m=8 n=8 k=40"), BadInput);  // TMA reads 16 bytes at a time
}

// ---- kernels whose arithmetic is not what they declare

struct Other {
  const char *image, *subject, *line;
  const char *name, *found;  // a finding and its one choice; null: no candidate reproduces it
};

class Mutants : public testing::TestWithParam<Other> {};

TEST_P(Mutants, AreToldApartFromWhatTheyDeclare) {
  const Other& m = GetParam();
  const Identification id = identified(m.subject, m.line, m.image);
  if (!m.name) {
    EXPECT_FALSE(id.identified()) << text(id);
    EXPECT_NE(id.why_not, "");
    return;
  }
  ASSERT_TRUE(id.identified()) << text(id);
  EXPECT_EQ(finding(id, m.name).found, std::vector<std::string>{m.found}) << text(id);
  EXPECT_EQ(id.agreement, Agreement::contradicted);
  EXPECT_NE(id.disagreement, "");
}

constexpr Other kOthers[] = {
    {"fp8_scaled_gemm+fp8_always_promoted", "fp8_scaled_gemm", "fp8_scaled_gemm m=8 n=8 k=320", "chains and promotion",
     "one chain, promoted every 128 k"},
    {"fp8_scaled_gemm+fp8_promotion_left_out", "fp8_scaled_gemm_promoted", "fp8_scaled_gemm m=8 n=8 k=320", "chains and promotion",
     "one chain"},
    {"fp8_scaled_gemm+fp8_adds_bias_before_scale", "fp8_scaled_gemm", "fp8_scaled_gemm m=8 n=8 k=64 bias=1", "epilogue",
     "a_scale * (b_scale * sum), bias added before the last scale"},
    {"w4a16_gemv+gemv_accumulates_in_bf16", "w4a16_gemv", "w4a16_gemv m=8 n=8 k=256 group=32", "accumulators",
     "runs in FP32, their sums kept in BF16"},
    {"fp8_quant+fp8_token_multiplies_by_reciprocal", "fp8_quant_token", "fp8_quant_token rows=16 d=512", "quotient", "x * (1 / scale)"},
    {"fp8_quant+fp8_static_multiplies_by_scale", "fp8_quant_static", "fp8_quant_static rows=8 d=512", "quotient", "x * scale"},
    {"silu_and_mul+silu_rounds_before_product", "silu_and_mul", "silu_and_mul rows=2 d=512", "silu before the product", "rounded to BF16"},
    {"silu_and_mul+silu_rounded_keeps_fp32", "silu_and_mul_rounded", "silu_and_mul rows=2 d=512", "silu before the product",
     "kept in FP32"},
    {"fused_add_rms_norm+rms_norm_rounds_before_weight", "fused_add_rms_norm", "fused_add_rms_norm rows=8 d=256", "product",
     "bf16(z * root) * weight"},
    {"fused_add_rms_norm+rms_norm_squares_before_rounding", "fused_add_rms_norm", "fused_add_rms_norm rows=16 d=768", "squares",
     "of the sum before it is rounded"},
    {"fused_add_rms_norm+rms_norm_epsilon_outside_root", "fused_add_rms_norm", "fused_add_rms_norm rows=8 d=256", "root",
     "1 / (sqrtf(mean) + eps)"},
    // Half of the columns of these are as declared, and half are not.
    {"bf16_gemm+bf16_gemm_adds_parts_in_bf16", "bf16_gemm", "bf16_gemm m=8 n=8 k=320 split_k=3", nullptr, nullptr},
    {"gptq_gemm+gptq_sums_in_fp16", "gptq_gemm", "gptq_gemm m=8 n=8 k=272 group=16", nullptr, nullptr},
    {"awq_gemm+awq_adds_parts_in_fp16", "awq_gemm", "awq_gemm m=8 n=8 k=192 group=32 split_k=3", nullptr, nullptr},
    // Not arithmetic at all.
    {"w4a16_gemv+gemv_zero_point_seven", "w4a16_gemv", "w4a16_gemv m=8 n=8 k=256 group=32", nullptr, nullptr},
    {"silu_and_mul+silu_takes_up_for_gate", "silu_and_mul", "silu_and_mul rows=2 d=512", nullptr, nullptr},
};
INSTANTIATE_TEST_SUITE_P(All, Mutants, testing::ValuesIn(kOthers), [](const auto& info) {
  const std::string image = info.param.image;
  return image.substr(image.find('+') + 1);
});

TEST(Identify, SeesAnOrderThatTheDeclarationCovers) {
  const Identification id =
      identified("fused_add_rms_norm", "fused_add_rms_norm rows=16 d=768", "fused_add_rms_norm+rms_norm_near_lanes_first");
  ASSERT_TRUE(id.identified()) << text(id);
  EXPECT_NE(id.agreement, Agreement::contradicted);  // no deeper than declared
  for (const std::string& order : finding(id, "order of the sum").found)
    EXPECT_NE(order.find("from the nearest"), std::string::npos) << order;
}

}  // namespace
}  // namespace assay::properties
