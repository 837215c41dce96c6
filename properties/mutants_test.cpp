// The laws' own test: planted faults, each killed by every law that its file names, and shrunk to a case that a person can hold in the
// head.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "fixtures/law.hpp"
#include "properties/trial.hpp"

#ifdef __SANITIZE_ADDRESS__
// LeakSanitizer's tracer faults while it walks the thread-local blocks of checked images in worker threads that are still there at exit.
extern "C" int __lsan_is_turned_off() { return 1; }
#endif

namespace assay::properties {

void PrintTo(const Mutant& mutant, std::ostream* out) { *out << mutant.name; }

namespace {

/// A law about an image: called with a case, what it has to say of a failure, or nothing.
struct Asked {
  const Law& law;
  const Subject& subject;
  Bench bench;
  int passed = 0;

  Asked(const Mutant& mutant, const std::string& law_name, std::string image)
      : law(*find<Law>(law_name)),
        subject(*find<Subject>(mutant.subject)),
        bench({.backend = law.only.value_or(Backend::emu), .image = std::move(image)}) {}

  std::optional<std::string> operator()(const Case& c) {
    if (!law.applies(subject, c)) return {};
    const Verdict verdict = verdict_of(law, bench, subject, c);
    passed += verdict.outcome == Outcome::pass;
    return verdict.outcome == Outcome::fail ? std::optional(verdict.reason) : std::nullopt;
  }
};

constexpr int kCases = 400;

/// A failure on the mutant's own case, as it is, or on drawn cases of the contract, shrunk.
std::optional<Found> find_failure_of(const Mutant& mutant, const Subject& subject, const Failure& fails) {
  if (mutant.witness.empty()) return find_failure(*find<Contract>(subject.contract), search_for_faults(subject, kCases), fails);
  const Case c = parse_case(mutant.witness);
  const auto why = fails(c);
  return why ? std::optional(Found{.first = c, .smallest = c, .why = *why}) : std::nullopt;
}

/// A law's failure of the mutated subject.
std::optional<Found> killed(const Mutant& mutant, const std::string& law) {
  Asked asked(mutant, law, mutant.image());
  return find_failure_of(mutant, asked.subject, [&](const Case& c) { return asked(c); });
}

class Mutants : public testing::TestWithParam<Mutant> {};

/// Harmless ones are tried for the page of mutants (tools/report/mutants_test.cpp).
std::vector<Mutant> faults() {
  std::vector<Mutant> all = load_mutants(ASSAY_MUTANTS);
  std::erase_if(all, [](const Mutant& m) { return !m.harmless.empty(); });
  return all;
}

TEST_P(Mutants, IsKilledByEveryLawItNames) {
  for (const std::string& law : GetParam().detectors) {
    ASSERT_TRUE(find<Law>(law)) << law;
    const auto found = killed(GetParam(), law);
    ASSERT_TRUE(found) << law << " does not see that: " << GetParam().models;
    fmt::print("{:<10} {}\n           shrunk from {} in {} tries\n           {}\n", law, to_line(found->smallest), to_line(found->first), found->shrinks_tried, found->why);
  }
}

TEST_P(Mutants, OriginalKeepsTheLawsOnTheSameCases) {
  constexpr int kEnough = 20;
  for (const std::string& law : GetParam().detectors) {
    Asked asked(GetParam(), law, "");
    const Failure fails = [&](const Case& c) { return asked.passed < kEnough ? asked(c) : std::nullopt; };
    const auto found = find_failure_of(GetParam(), asked.subject, fails);
    EXPECT_FALSE(found) << law << ": " << to_line(found->smallest) << ": " << found->why;
    EXPECT_GT(asked.passed, 0) << law << " says nothing about any of the cases";
  }
}

INSTANTIATE_TEST_SUITE_P(All, Mutants, testing::ValuesIn(faults()), [](const auto& info) { return info.param.name; });

Mutant named(const std::string& name) { return load_mutant(std::filesystem::path(ASSAY_MUTANTS) / (name + ".toml")); }

TEST(Shrinking, WrongZeroPointBecomesOneWord) {
  const auto found = killed(named("gemv_zero_point_seven"), "conforms");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->smallest.parameters.whole("m"), 1);
  EXPECT_EQ(found->smallest.parameters.whole("n"), 1);
  EXPECT_EQ(found->smallest.parameters.whole("k"), 8);
  EXPECT_EQ(found->smallest.fill, Fill::exact);
}

TEST(Shrinking, ScaleOfTheNextGroupBecomesTwoGroupsOfOneWord) {
  const auto found = killed(named("gemv_scale_of_next_group"), "conforms");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->smallest.parameters.whole("m"), 1);
  EXPECT_LE(found->smallest.parameters.whole("n"), 2);
  EXPECT_EQ(found->smallest.parameters.whole("k"), 16);
  EXPECT_EQ(found->smallest.parameters.whole("group"), 8);
}

TEST(Shrinking, DroppedLastElementBecomesOneElement) {
  const auto found = killed(named("rms_norm_drops_last_element"), "conforms");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->smallest.parameters.whole("rows"), 1);
  EXPECT_EQ(found->smallest.parameters.whole("d"), 1);
}

TEST(Mutating, RefusesTextThatOccursNeverOrTwice) {
  Mutant mutant{.name = "m", .file = "k.cu", .find = "a + b", .replace = "a - b"};
  EXPECT_EQ(mutated(mutant, "x = a + b;"), "x = a - b;");
  EXPECT_THROW(mutated(mutant, "x = a * b;"), std::runtime_error);
  EXPECT_THROW(mutated(mutant, "x = a + b; y = a + b;"), std::runtime_error);
}

}  // namespace
}  // namespace assay::properties
