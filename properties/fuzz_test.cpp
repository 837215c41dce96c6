// The fuzzer against kernels that are known to be wrong, right ones, and its own death.
#include "properties/fuzz.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace assay::properties {
namespace {

namespace fs = std::filesystem;

FuzzPlan plan_of(const char* subject, int64_t cases, int jobs = 2) {
  return {.subjects = {find<Subject>(subject)}, .cases = cases, .jobs = jobs};
}

/// All of a result that may depend on nothing but plan and kernel.
std::string told(const Fuzzed& f) {
  std::string text = fmt::format("{} {}\n", f.contract, f.cases);
  for (const Finding& one : f.findings) {
    text += fmt::format("finding {} {} {} {}\n", one.subject, one.cases, one.shrunk, one.contents_reason);
    for (const Accusation& a : one.laws)
      text += fmt::format("  {} {} '{}' '{}' {}\n", a.law, a.cases, a.first, to_line(a.smallest), a.reason);
    for (const FailingRegion& r : one.region) text += fmt::format("  {} {} {}\n", r.name, r.failing.size(), r.passing.size());
    for (const Contents& c : one.contents)
      for (const uint64_t code : c.codes) text += fmt::format(" {:x}", code);
  }
  for (const SubjectFuzzed& s : f.subjects) {
    text += fmt::format("{} {} {} {} {}\n", s.subject, s.cases, s.failing, s.unchecked, s.pairs);
    for (const RegionCount& r : s.regions)
      text += fmt::format("  {}={} {} {} {} {}\n", r.name, r.bucket, r.cases, r.failing, r.worst_share, r.worst_case);
    for (const SeenCodes& c : s.codes) text += fmt::format("  {} {}\n", c.operand, c.count());
  }
  for (const Cell& c : f.cells)
    text += fmt::format("{} {} {} {} {}\n", c.subject, c.law, name(c.verdict.outcome), c.cases, c.verdict.tally.judged);
  return text;
}

struct Known {
  const char *subject, *mutant, *smallest;  // as assay mutants has them, but for the seed
};

class FuzzedMutant : public testing::TestWithParam<Known> {};

TEST_P(FuzzedMutant, IsOneFindingThatShrinksToItsSmallestCase) {
  const Known& known = GetParam();
  const Fuzzed f = fuzz(plan_of(known.subject, 100), {.image = fmt::format("{}+{}", known.subject, known.mutant)});
  ASSERT_EQ(f.findings.size(), 1u) << told(f);
  const Finding& one = f.findings.front();
  EXPECT_EQ(one.cases, f.subjects.front().failing);
  Case smallest = one.laws.front().smallest.problem;
  smallest.seed = 0;
  EXPECT_EQ(to_line(smallest), std::string(known.smallest) + " seed=0");
  EXPECT_TRUE(one.shrunk);
}

INSTANTIATE_TEST_SUITE_P(All, FuzzedMutant,
                         testing::Values(Known{"w4a16_gemv", "gemv_ignores_stride", "w4a16_gemv m=2 n=1 k=8 group=8 y_pad=1 fill=exact"},
                                         Known{"w4a16_gemv", "gemv_drops_last_k", "w4a16_gemv m=1 n=1 k=8 group=8 fill=exact"},
                                         Known{"bf16_gemm", "bf16_gemm_drops_last_16_k",
                                               "bf16_gemm m=1 n=1 k=17 split_k=1 activation=none fill=exact"},
                                         Known{"silu_and_mul", "silu_leaves_last_column", "silu_and_mul rows=1 d=1 fill=exact"},
                                         Known{"convert", "convert_flushes_subnormals", "convert n=1 to=fp16 fill=tiny"}),
                         [](const auto& p) { return std::string(p.param.mutant); });

TEST(Fuzz, ARightKernelHasNoFinding) {
  const Fuzzed f = fuzz(plan_of("silu_and_mul", 60), {});
  EXPECT_TRUE(f.findings.empty()) << told(f);
  EXPECT_EQ(f.cases, 60);
  int checked = 0;
  for (const Cell& c : f.cells) {
    EXPECT_NE(c.verdict.outcome, Outcome::fail) << c.law;
    checked += c.verdict.outcome == Outcome::pass;
  }
  EXPECT_GE(checked, 3);  // conforms, guarded, repeats
}

TEST(Fuzz, GivesTheSameWithAnyNumberOfProcesses) {
  const BenchSettings mutated{.image = "silu_and_mul+silu_leaves_last_column"};
  const std::string alone = told(fuzz(plan_of("silu_and_mul", 100, 1), mutated));
  EXPECT_EQ(told(fuzz(plan_of("silu_and_mul", 100, 3), mutated)), alone);
  FuzzPlan other = plan_of("silu_and_mul", 100, 1);
  other.seed = 2;
  EXPECT_NE(told(fuzz(other, mutated)), alone);
}

TEST(Fuzz, AllSubjectsOfAContract) {
  FuzzPlan plan{.subjects = {find<Subject>("silu_and_mul"), find<Subject>("silu_and_mul_rounded")}, .cases = 20, .jobs = 2};
  const Fuzzed f = fuzz(plan, {});
  ASSERT_EQ(f.subjects.size(), 2u);
  EXPECT_EQ(f.cases, 40);
  for (const SubjectFuzzed& s : f.subjects) EXPECT_EQ(s.cases, 20);
}

TEST(Fuzz, AKnownFailureIsNoFinding) {
  FuzzPlan plan = plan_of("silu_and_mul", 30);
  const BenchSettings mutated{.image = "silu_and_mul+silu_leaves_last_column"};
  plan.ledger = parse_ledger("known", "[[failure]]\nsubject = \"silu_*\"\nlaw = \"*\"\ncase = \"* d=1 *\"\nreason = \"r\"\nlink = \"a://b\"\n");
  const Fuzzed some = fuzz(plan, mutated);
  ASSERT_EQ(some.findings.size(), 1u);
  EXPECT_EQ(some.findings[0].laws[0].smallest.problem.parameters.whole("d"), 2);
  plan.ledger = parse_ledger("known", "[[failure]]\nsubject = \"silu_*\"\nlaw = \"*\"\nreason = \"r\"\nlink = \"a://b\"\n");
  const Fuzzed none = fuzz(plan, mutated);
  EXPECT_TRUE(none.findings.empty());
  EXPECT_EQ(none.subjects[0].failing, 0);
}

TEST(Fuzz, StopsWhenTimeIsUp) {
  FuzzPlan plan = plan_of("silu_and_mul", 0);
  plan.seconds = 0.5;
  const Fuzzed f = fuzz(plan, {});
  EXPECT_GT(f.cases, 0);
  EXPECT_GE(f.seconds, 0.5);
}

TEST(Fuzz, ANamelessImageIsBadInput) { EXPECT_THROW(fuzz(plan_of("silu_and_mul", 10), {.image = "nonesuch"}), BadInput); }

/// A subject that takes its process with it on some cases.
TEST(Fuzz, AKernelThatDiesIsAFinding) {
  Subject fatal = *find<Subject>("silu_and_mul");
  fatal.launch = [right = fatal.launch](const Image& image, const Parameters& p, const Operands& at) {
    if (p.whole("d") > 40) std::abort();
    return right(image, p, at);
  };
  const Fuzzed f = fuzz({.subjects = {&fatal}, .cases = 60, .jobs = 2}, {});
  ASSERT_EQ(f.findings.size(), 1u) << told(f);
  EXPECT_EQ(f.findings[0].laws[0].reason, "the process died: Aborted");
  EXPECT_EQ(f.findings[0].laws[0].smallest.problem.parameters.whole("d"), 41);
  EXPECT_TRUE(f.findings[0].contents.empty());
}

TEST(Fuzz, ContentsBecomeAsSimpleAsCanBe) {
  const Fuzzed f = fuzz(plan_of("w4a16_gemv", 40), {.image = "w4a16_gemv+gemv_drops_last_k"});
  ASSERT_EQ(f.findings.size(), 1u);
  const Finding& one = f.findings[0];
  ASSERT_EQ(one.contents.size(), 3u);  // x, w, scale of m=1 n=1 k=8
  EXPECT_EQ(one.contents[0].tensor, "x");
  EXPECT_EQ(std::ranges::count_if(one.contents[0].codes, [](uint64_t code) { return code != 0; }), 1);  // the last k alone
  EXPECT_NE(one.contents[0].codes.back(), 0u);
  EXPECT_EQ(one.contents[2].codes, std::vector<uint64_t>{0x3F80});  // scale 1
}

/// A folder for journals.
class FuzzJournal : public testing::Test {
 protected:
  fs::path folder;
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "assay_fuzz_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override { fs::remove_all(folder); }
};

TEST_F(FuzzJournal, IsGoneOnFromAfterAKillAtAnyPoint) {
  const BenchSettings mutated{.image = "silu_and_mul+silu_leaves_last_column"};
  FuzzPlan plan = plan_of("silu_and_mul", 80);
  const std::string undisturbed = told(fuzz(plan, mutated));
  plan.journal = folder / "journal";
  for (const size_t bytes : {200, 3000, 20000, 30000, 60000}) {  // into the first batch, the shrinking, the cases behind it
    const pid_t child = fork();
    if (child == 0) {
      fuzz(plan, mutated);
      _exit(0);
    }
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0)
      if (std::error_code none; fs::exists(plan.journal) && fs::file_size(plan.journal, none) >= bytes) kill(child, SIGKILL);
    EXPECT_TRUE(WIFSIGNALED(status) || bytes > 20000) << "it had ended before";
    const size_t left = fs::file_size(plan.journal);
    EXPECT_GE(left, bytes);
  }
  const Fuzzed resumed = fuzz(plan, mutated);
  EXPECT_EQ(told(resumed), undisturbed);
  EXPECT_GT(resumed.remembered, 0);
  const Fuzzed again = fuzz(plan, mutated);  // nothing left to do
  EXPECT_EQ(told(again), undisturbed);
  EXPECT_EQ(again.remembered, 80);
}

TEST_F(FuzzJournal, CountsTheTimeOfAllRuns) {
  FuzzPlan plan = plan_of("silu_and_mul", 0);
  plan.seconds = 0.3, plan.journal = folder / "journal";
  const Fuzzed first = fuzz(plan, {});
  const Fuzzed second = fuzz(plan, {});
  EXPECT_GT(second.seconds_before, 0);
  EXPECT_LE(second.cases, first.cases);
  plan.seconds = 0.6;
  EXPECT_GE(fuzz(plan, {}).cases, second.cases);
}

TEST_F(FuzzJournal, OfAnotherSeedImageOrContractIsRefused) {
  FuzzPlan plan = plan_of("silu_and_mul", 2);
  plan.journal = folder / "journal";
  fuzz(plan, {});
  FuzzPlan seed = plan, subject = plan;
  seed.seed = 2, subject.subjects = {find<Subject>("silu_and_mul_rounded")};
  EXPECT_THROW(fuzz(seed, {}), BadInput);
  EXPECT_THROW(fuzz(subject, {}), BadInput);
  EXPECT_THROW(fuzz(plan, {.image = "silu_and_mul+silu_leaves_last_column"}), BadInput);
  plan.cases = 3;  // more of the same
  EXPECT_EQ(fuzz(plan, {}).remembered, 2);
}

}  // namespace
}  // namespace assay::properties
