// All 2^32 FP32 patterns through the toolkit's conversions, on the emulator, against the formats of oracles: 256 cases of 2^24 patterns each.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fixtures/law.hpp"

namespace assay::properties {
namespace {

class Conversions : public testing::TestWithParam<const char*> {};

TEST_P(Conversions, RoundEveryFp32PatternRight) {
  Bench bench({});
  const Law& conforms = *find<Law>("conforms");
  uint64_t judged = 0;
  for (int chunk = 0; chunk < 256; chunk++) {
    const Case c = parse_case(fmt::format("convert n=16777216 {} fill=codes seed={}", GetParam(), chunk));
    const Verdict verdict = verdict_of(conforms, bench, *find<Subject>("convert"), c);
    ASSERT_EQ(verdict.outcome, Outcome::pass) << to_line(c) << ": " << verdict.reason;
    judged += verdict.tally.judged;
  }
  EXPECT_EQ(judged, uint64_t{1} << 32);
}

INSTANTIATE_TEST_SUITE_P(All, Conversions,
                         testing::Values("to=bf16", "to=fp16", "to=e4m3fn", "to=e4m3fn saturate=1", "to=e5m2", "to=e5m2 saturate=1"));

}  // namespace
}  // namespace assay::properties
