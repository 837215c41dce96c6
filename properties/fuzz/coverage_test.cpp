#include "properties/fuzz/coverage.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "fixtures/fill/fill.hpp"
#include "fixtures/fill/random.hpp"

namespace assay::properties {
namespace {

/// Draws of a contract, the same ones for everybody.
struct Draws {
  const Contract& contract;
  Stream random{1, "coverage"};
  uint64_t index = 0;

  Case operator()() {
    const Below below = [this](uint64_t n) { return random.below(n, index++); };
    return draw_anywhere(contract, draw_size(contract, 3e5, below), 3e5, below);
  }
};

int64_t regions_met(const Coverage& coverage) {
  return std::ranges::count_if(coverage.regions(), [](const RegionCount& r) { return r.cases > 0; });
}

/// Regions and pairs after `cases` cases, chosen by the rule or taken as they are drawn.
std::pair<int64_t, size_t> met(const Contract& contract, int cases, bool choose) {
  Draws draws{contract};
  Coverage coverage(contract);
  for (int i = 0; i < cases; i++) {
    const Case c = choose ? coverage.choose([&] { return draws(); }) : draws();
    coverage.plan(c), coverage.learn(c, false, {}, {});
  }
  return {regions_met(coverage), coverage.pairs()};
}

TEST(Coverage, RisesFasterThanThatOfUniformDraws) {
  for (const char* name : {"w4a16_gemv", "silu_and_mul", "fp8_scaled_gemm", "gptq_gemm", "fp8_quant_group"})
    for (const int cases : {50, 150}) {
      const Contract& contract = *find<Contract>(name);
      const auto [regions, pairs] = met(contract, cases, true);
      const auto [uniform_regions, uniform_pairs] = met(contract, cases, false);
      EXPECT_GE(regions, uniform_regions) << name << " " << cases;
      EXPECT_GT(pairs, uniform_pairs) << name << " " << cases;
    }
}

TEST(Coverage, WhatWasTriedIsLessThin) {
  const Case c = parse_case("w4a16_gemv m=2 n=8 k=64 group=8"), other = parse_case("w4a16_gemv m=3 n=65 k=72 group=24 fill=exact x_pad=3");
  Coverage coverage(c.definition());
  const double before = coverage.thinness(c);
  coverage.plan(c);
  EXPECT_LT(coverage.thinness(c), before);
  EXPECT_LT(coverage.thinness(c), coverage.thinness(other));
}

TEST(Coverage, RegionsWhoseBoundIsUsedAreLessThin) {
  const Case c = parse_case("w4a16_gemv m=2 n=8 k=64 group=8");
  Coverage used(c.definition()), unused(c.definition());
  for (Coverage* coverage : {&used, &unused}) coverage->plan(c);
  used.learn(c, false, 0.9, {}), unused.learn(c, false, 0.0, {});
  EXPECT_LT(used.thinness(c), unused.thinness(c));
  const std::vector<RegionCount> regions = used.regions();
  const auto fill = std::ranges::find_if(regions, [](const RegionCount& r) { return r.name == "fill" && r.bucket == "normal"; });
  ASSERT_NE(fill, regions.end());
  EXPECT_EQ(fill->worst_share, 0.9);
  EXPECT_EQ(fill->worst_case, to_line(c));
}

TEST(Coverage, AFillThatStillShowsCodesIsPreferred) {
  const Case normal = parse_case("convert fill=normal"), codes = parse_case("convert fill=codes");
  Coverage coverage(normal.definition());
  const std::vector<SeenCodes> one{{"x (e4m3)", std::vector<bool>(16, true)}}, two{{"y (e4m3)", std::vector<bool>(16, true)}};
  coverage.learn(normal, false, {}, one), coverage.learn(normal, false, {}, one);  // the second shows nothing new
  coverage.learn(codes, false, {}, two), coverage.learn(codes, false, {}, two);
  EXPECT_EQ(coverage.thinness(normal), coverage.thinness(codes));
  coverage.learn(normal, false, {}, one);
  EXPECT_LT(coverage.thinness(normal), coverage.thinness(codes));
}

TEST(Coverage, CodesOfNarrowOperands) {
  const std::vector<SeenCodes> gemv = codes_of(make_tensors(parse_case("w4a16_gemv n=8 k=64 group=8 fill=normal seed=1")));
  ASSERT_EQ(gemv.size(), 1u);  // x and scale are BF16
  EXPECT_EQ(gemv[0].operand, "w (int4)");
  EXPECT_EQ(gemv[0].count(), 16);  // 512 random codes: one is missing with a chance of 16 (15/16)^512 = 7e-14
  const std::vector<SeenCodes> fp8 = codes_of(make_tensors(parse_case("fp8_scaled_gemm m=1 n=16 k=16 fill=exact seed=1")));
  ASSERT_EQ(fp8.size(), 2u);
  for (const SeenCodes& c : fp8) EXPECT_LE(c.count(), 9);  // whole numbers from -4 to 4
}

}  // namespace
}  // namespace assay::properties
