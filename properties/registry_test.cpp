#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "fixtures/law.hpp"
#include "properties/mutants/mutant.hpp"

namespace assay {
namespace {

TEST(LawRegistry, HoldsOneLawOfItsNameForEveryFile) {
  std::set<std::string> files, names;
  std::istringstream stems(ASSAY_FILES);
  for (std::string stem; stems >> stem;) files.insert(stem);
  for (const Law& law : registry<Law>()) names.insert(law.name);
  EXPECT_EQ(names, files);
  EXPECT_EQ(names.size(), registry<Law>().size());
}

TEST(LawRegistry, EveryLawClaimsSomethingAndCanBeAsked) {
  for (const Law& law : registry<Law>()) {
    EXPECT_FALSE(law.claim.empty()) << law.name;
    EXPECT_TRUE(law.applies && law.check) << law.name;
  }
}

/// Law `golden`, of another folder, has its mutant in golden/verify_test.cpp.
TEST(LawRegistry, EveryLawHasAMutantThatNamesIt) {
  std::set<std::string> named;
  for (const properties::Mutant& mutant : properties::load_mutants(ASSAY_MUTANTS))
    named.insert(mutant.detectors.begin(), mutant.detectors.end());
  for (const Law& law : registry<Law>()) EXPECT_TRUE(named.contains(law.name)) << law.name;
}

TEST(LawRegistry, EverySubjectHasAMutant) {
  std::set<std::string> mutated;
  for (const properties::Mutant& mutant : properties::load_mutants(ASSAY_MUTANTS)) mutated.insert(mutant.subject);
  for (const Subject& subject : registry<Subject>()) EXPECT_TRUE(mutated.contains(subject.name)) << subject.name;
}

TEST(LawRegistry, BitsOfTwoRunsAreComparedOnlyWhereTheSubjectClaimsThem) {
  const Case c = parse_case("gptq_gemm m=2 n=8 k=256 group=32 fill=normal seed=1");
  for (const char* law : {"repeats", "negates", "permutes"}) {
    EXPECT_TRUE(find<Law>(law)->applies(*find<Subject>("gptq_gemm"), c)) << law;
    EXPECT_FALSE(find<Law>(law)->applies(*find<Subject>("gptq_gemm_atomic"), c)) << law;
  }
}

}  // namespace
}  // namespace assay
