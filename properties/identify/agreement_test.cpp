// Declarations beside what was found: wider ones hold, others do not.
#include "properties/identify/agreement.hpp"

#include <gtest/gtest.h>

namespace assay::properties {
namespace {

Candidate found(Arithmetic a) { return {.choices = {}, .outputs = {}, .arithmetic = std::move(a), .beyond = {}}; }
bool holds(const Arithmetic& declared, const Candidate& f) { return compared(declared, f).contradicted.empty(); }
bool is_wider(const Arithmetic& declared, const Candidate& f) { return compared(declared, f).wider; }

const Fn kExact{.function = "exp", .relative = 0x1p-24, .source = "correctly rounded"};

TEST(Agreement, DeeperSumsMoreRoundingsAndWiderFunctionsHold) {
  const Candidate f = found(Arithmetic().with("sum", Sum{.depth = 13}).with("mean", Ops{}).with("exp", kExact));
  const Arithmetic wide = Arithmetic().with("sum", Sum{.depth = 14}).with("mean", Ops{.count = 2}).with("exp", gpu::fast_expf());
  EXPECT_TRUE(holds(wide, f));
  EXPECT_TRUE(is_wider(wide, f));
  EXPECT_FALSE(holds(Arithmetic().with("sum", Sum{.depth = 12}).with("mean", Ops{}).with("exp", kExact), f));
  EXPECT_FALSE(holds(Arithmetic().with("sum", Sum{.depth = 13}).with("mean", Ops{.count = 0}).with("exp", kExact), f));
  const Candidate fast = found(Arithmetic().with("exp", gpu::fast_expf()));
  EXPECT_FALSE(holds(Arithmetic().with("exp", kExact), fast));
}

TEST(Agreement, AMaterialisedValueIsNoMatterOfDegree) {
  const Candidate kept = found(Arithmetic().with("product", Ops{}));
  const Candidate rounded = found(Arithmetic().with("product", Ops{}).with("silu", Round{Format::bf16}));
  const Arithmetic once = Arithmetic().with("product", Ops{}),
                   twice = Arithmetic().with("product", Ops{}).with("silu", Round{Format::bf16});
  EXPECT_TRUE(holds(once, kept));
  EXPECT_FALSE(is_wider(once, kept));
  EXPECT_TRUE(holds(twice, rounded));
  EXPECT_FALSE(holds(once, rounded));
  EXPECT_FALSE(holds(twice, kept));
  EXPECT_FALSE(holds(Arithmetic().with("product", Ops{}).with("silu", Round{Format::fp16}), rounded));
  EXPECT_TRUE(holds(Arithmetic().with("quotient", Ops{}), found(Arithmetic().with("quotient", Round{Format::fp32}))));
}

TEST(Agreement, WhatNoSlotSaysContradicts) {
  Candidate f = found(Arithmetic().with("product", Ops{}));
  f.beyond = "output toward zero";
  EXPECT_FALSE(holds(Arithmetic().with("product", Ops{}), f));
}

TEST(Agreement, ContractionMattersWhereThereIsAMultiplyAdd) {
  Candidate f = found(Arithmetic().with("bias", Ops{}));
  f.arithmetic.contraction = Contraction::always;
  Arithmetic declared = Arithmetic().with("bias", Ops{});
  EXPECT_TRUE(holds(declared, f));
  f.tells_contraction = true;
  EXPECT_FALSE(holds(declared, f));
  declared.contraction = Contraction::either;
  EXPECT_TRUE(holds(declared, f));
  EXPECT_TRUE(is_wider(declared, f));
}

}  // namespace
}  // namespace assay::properties
