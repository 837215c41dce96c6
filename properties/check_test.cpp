// A suite's own test: cases that could not tell right from wrong are not a pass.
#include "properties/check.hpp"

#include <gtest/gtest.h>

namespace assay::properties {
namespace {

/// A real subject whose arithmetic declares no order of k: nothing is wrong with its results, and little can be said of them.
Subject without_order(const std::string& name) {
  Subject subject = *find<Subject>(name);
  subject.arithmetic = [](const Parameters&) {
    const Dot dot{.instruction = sm_90::wgmma_e4m3()};
    return Arithmetic().with("dot", dot).with("b_scale", Ops{}).with("a_scale", Ops{}).with("bias", Ops{});
  };
  return subject;
}

Cell conforms(const Subject& subject, const std::string& suite) {
  const Plan plan{.suite = parse_suite("made up", "budget=1e9\n" + suite), .subjects = {&subject}, .laws = {find<Law>("conforms")}};
  return check(plan, {}).front();
}

const std::string kZerosPass = "fp8_scaled_gemm m=2 n=4 k=4096 fill=cancelling seed=1\n";
const std::string kFourPerCentPass = "fp8_scaled_gemm m=2 n=4 k=4096 fill=normal seed=1\n";
const std::string kOneInAThousandPasses = "fp8_scaled_gemm m=2 n=64 k=4096 fill=normal seed=1\n";
const std::string kShort = "fp8_scaled_gemm m=2 n=64 k=32 fill=normal seed=1\n";   // one sum, hardly cut

TEST(Vacuity, ASuiteOfVacuousCasesIsUntrusted) {
  const Cell cell = conforms(without_order("fp8_scaled_gemm"), kZerosPass);
  EXPECT_EQ(cell.verdict.outcome, Outcome::untrusted);
  EXPECT_EQ(cell.untrusted, cell.cases);
  EXPECT_NE(cell.untrusted_reason.find("would let zeros pass for every element: declare the order of k"), std::string::npos)
      << cell.untrusted_reason;
}

TEST(Vacuity, ACellThatNoWrongScaleFailsIsUntrustedAndOneCaseMendsIt) {
  const Subject& subject = *find<Subject>("fp8_scaled_gemm");
  const Cell four = conforms(subject, kFourPerCentPass), thousandth = conforms(subject, kOneInAThousandPasses);
  EXPECT_EQ(four.verdict.outcome, Outcome::untrusted);
  EXPECT_EQ(four.verdict.reason, "no case would reject results that are 4 % too large");
  EXPECT_EQ(thousandth.verdict.outcome, Outcome::untrusted);
  EXPECT_EQ(thousandth.verdict.reason, "no case would reject results that are 0.1 % too large");
  EXPECT_EQ(conforms(subject, kFourPerCentPass + kOneInAThousandPasses + kShort).verdict.outcome, Outcome::pass);
}

Cell heeds(const std::string& suite) {
  const Plan plan{
      .suite = parse_suite("made up", "budget=1e9\n" + suite), .subjects = {find<Subject>("bf16_gemm")}, .laws = {find<Law>("heeds")}};
  return check(plan, {}).front();
}

TEST(Vacuity, ASwitchThatCasesSetAndNoneMakesMatterIsNamed) {
  // The sum is far below 0, so ReLU makes it 0 with the bias and without.
  const std::string hidden = "bf16_gemm m=1 n=1 k=64 bias=1 activation=relu fill=normal seed=2\n";
  const Cell few = heeds(hidden), all = heeds(hidden + "bf16_gemm m=2 n=8 k=16 bias=1 fill=normal seed=1\n");
  EXPECT_EQ(few.verdict.outcome, Outcome::untrusted);
  EXPECT_EQ(few.verdict.reason, "set by cases, and none shows that it matters: bias=1");
  EXPECT_EQ(all.verdict.outcome, Outcome::pass) << all.verdict.reason;
}

TEST(Vacuity, SuiteCiShowsEverySwitchOfEverySubject) {
  const Law& law = *find<Law>("heeds");
  Plan plan{.suite = load_suite("ci"), .subjects = {}, .laws = {&law}};
  for (const Subject& s : registry<Subject>()) plan.subjects.push_back(&s);
  for (const Cell& cell : check(plan, {}))
    for (const std::string& what : law.must_show(*find<Subject>(cell.subject))) EXPECT_TRUE(cell.verdict.shown.contains(what)) << cell.subject << ": " << what;
}

TEST(Vacuity, WithoutAnElementNothingWasChecked) {
  const Cell cell = conforms(*find<Subject>("silu_and_mul"), "silu_and_mul rows=0 d=8\n");
  EXPECT_EQ(cell.verdict.outcome, Outcome::untrusted);
  EXPECT_EQ(cell.verdict.reason, "no case has an element to check");
}

TEST(Vacuity, AFactorThatChangesNoCodeIsSaidAndNotDoubted) {
  const Cell few = conforms(*find<Subject>("fp8_quant_static"), "fp8_quant_static rows=1 d=8 fill=normal seed=1\n");
  const Cell many = conforms(*find<Subject>("fp8_quant_static"), "fp8_quant_static rows=64 d=256 dtype=fp16 fill=normal seed=1\n");
  EXPECT_EQ(few.verdict.outcome, Outcome::pass);
  EXPECT_TRUE(few.verdict.tally.swallows(StandIn::times_1_001));
  EXPECT_EQ(many.verdict.outcome, Outcome::pass);
  EXPECT_FALSE(many.verdict.tally.swallows(StandIn::times_1_001)) << "codes with one legal value see it, if there are enough of them";
  EXPECT_EQ(many.verdict.tally[StandIn::times_1_001].legal, 0u);
}

}  // namespace
}  // namespace assay::properties
