// The laws' own test: planted faults, each killed by every law that its file names, and shrunk to a case that a person can hold in the
// head.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "properties/check.hpp"
#include "properties/generators/search.hpp"
#include "properties/mutants/mutant.hpp"

#ifdef __SANITIZE_ADDRESS__
// LeakSanitizer's tracer faults while it walks the thread-local blocks of checked images in worker threads that are still there at exit.
extern "C" int __lsan_is_turned_off() { return 1; }
#endif

namespace assay::properties {
namespace {

Search cases_for(const Subject& subject, int count) {
  return {.seed = 1, .cases = count, .multiply_adds = 1e5,
          .wanted = [&subject](const Case& c) { return !subject.refuses || !subject.refuses(c.parameters); }};
}

/// A law's failure of the mutated subject on drawn cases of its contract, shrunk.
std::optional<Found> killed(const Mutant& mutant, const std::string& law_name) {
  const Law& law = *find<Law>(law_name);
  const Subject& subject = *find<Subject>(mutant.subject);
  Bench bench({.backend = law.only.value_or(Backend::emu), .image = mutant.image()});
  return find_failure(*find<Contract>(subject.contract), cases_for(subject, 400), [&](const Case& c) -> std::optional<std::string> {
    if (!law.applies(subject, c)) return {};
    const Verdict verdict = verdict_of(law, bench, subject, c);
    return verdict.outcome == Outcome::fail ? std::optional(verdict.reason) : std::nullopt;
  });
}

class Mutants : public testing::TestWithParam<Mutant> {};

TEST_P(Mutants, IsKilledByEveryLawItNames) {
  for (const std::string& law : GetParam().detectors) {
    ASSERT_TRUE(find<Law>(law)) << law;
    const auto found = killed(GetParam(), law);
    ASSERT_TRUE(found) << law << " does not see that: " << GetParam().models;
    fmt::print("{:<10} {}\n           shrunk from {} in {} tries\n           {}\n", law, to_line(found->smallest), to_line(found->first), found->shrinks_tried, found->why);
  }
}

TEST_P(Mutants, OriginalKeepsTheLawsOnTheSameCases) {
  for (const std::string& law : GetParam().detectors) {
    Mutant original = GetParam();
    original.name.clear();
    const Subject& subject = *find<Subject>(original.subject);
    Bench bench({.backend = find<Law>(law)->only.value_or(Backend::emu)});
    const auto found = find_failure(*find<Contract>(subject.contract), cases_for(subject, 40), [&](const Case& c) -> std::optional<std::string> {
      const Verdict verdict = verdict_of(*find<Law>(law), bench, subject, c);
      return verdict.outcome == Outcome::fail ? std::optional(verdict.reason) : std::nullopt;
    });
    EXPECT_FALSE(found) << law << ": " << to_line(found->smallest) << ": " << found->why;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Mutants, testing::ValuesIn(load_mutants(ASSAY_MUTANTS)), [](const auto& info) { return info.param.name; });

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
