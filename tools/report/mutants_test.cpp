// The committed page is what the program makes of the mutants.
#include "tools/report/mutants.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "properties/accept_rules.hpp"

namespace assay::report {
namespace {

using properties::Fate, properties::Trial;
namespace fs = std::filesystem;

const properties::TrialSettings kSettings{.kernels = ASSAY_KERNELS};

std::string contents(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<Trial> all_trials() {
  std::vector<Trial> all;
  for (const fs::path& path : properties::mutant_files(fs::path(ASSAY_PROPERTIES) / "mutants")) all.push_back(properties::try_mutant_file(path, kSettings));
  std::ranges::stable_sort(all, {}, [](const Trial& t) { return t.mutant.kernel; });
  return all;
}

TEST(MutantTable, IsWhatTheMutantsGive) {
  const std::vector<Trial> all = all_trials();
  EXPECT_EQ(exit_code(all), 0) << to_text(all);
  EXPECT_GE(all.size(), 80u);
  EXPECT_TRUE(to_markdown(all) == contents(fs::path(ASSAY_PROPERTIES) / "MUTANTS.md"))
      << "properties/MUTANTS.md: make it again: assay mutants --markdown properties/MUTANTS.md";
}

class MutantFiles : public testing::Test {
 protected:
  fs::path folder;
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "assay_mutants_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override { fs::remove_all(folder); }

  Trial tried(const std::string& name, const std::string& text) {
    std::ofstream(folder / (name + ".toml")) << text;
    return properties::try_mutant_file(folder / (name + ".toml"), kSettings);
  }
};

constexpr char kHead[] = "kernel = \"silu_and_mul\"\nclass = \"c\"\nmodels = \"m\"\ndetectors = [\"conforms\"]\n";

TEST_F(MutantFiles, WhatCannotBeUsedIsNamedWithTheReasonAndNeverKilled) {
  struct Bad {
    std::string name, text, reason;
  };
  const Bad all[] = {
      {"malformed", "kernel = ", "line 1"},
      {"asserted", "[[[\n", "line 1"},
      {"misspelt", std::string(kHead) + "find = \"a\"\ncase_ = \"x\"\n", "unknown key 'case_'"},
      {"no_text", std::string(kHead) + "find = \"a\"\ncase = 5\n", "needs a text 'case'"},
      {"incomplete", "kernel = \"silu_and_mul\"\n", "needs either a list of texts 'detectors' or a text 'harmless'"},
      {"no_law", std::string(kHead).replace(std::string(kHead).find("conforms"), 8, "confirms") + "find = \"a\"\n", "no law 'confirms'"},
      {"number_for_law", std::string(kHead).replace(std::string(kHead).find("\"conforms\""), 10, "5") + "find = \"a\"\n", "'detectors', entry 1: is not a text"},
      {"law_twice", std::string(kHead).replace(std::string(kHead).find("\"conforms\""), 10, "\"exact\", \"exact\"") + "find = \"a\"\n", "names 'exact' twice"},
      {"unbuilt", std::string(kHead) + "find = \"there is no such text\"\n", "not built: there is no "},
  };
  for (const Bad& bad : all) {
    const Trial t = tried(bad.name, bad.text);
    EXPECT_EQ(t.fate, Fate::unusable) << bad.name;
    EXPECT_EQ(t.mutant.name, bad.name);
    EXPECT_NE(t.reason.find(bad.reason), std::string::npos) << t.reason;
    EXPECT_TRUE(t.laws.empty());
    EXPECT_EQ(exit_code({t}), 2);
  }
}

/// The names of a mutant that was built, with another text: what the build made of the old one must not count.
TEST_F(MutantFiles, OneThatNoLongerAppliesOrIsNewerThanItsImageIsUnusable) {
  const std::string name = "silu_leaves_last_column", kept = contents(fs::path(ASSAY_PROPERTIES) / "mutants" / (name + ".toml"));
  ASSERT_FALSE(kept.empty());
  const size_t find = kept.find("find = ");
  const Trial stale = tried(name, kept.substr(0, find) + "find = \"there is no such text\"\n");
  EXPECT_EQ(stale.fate, Fate::unusable);
  EXPECT_NE(stale.reason.find("does not occur"), std::string::npos) << stale.reason;
  const Trial twice = tried(name, kept.substr(0, find) + "find = \";\"\n");
  EXPECT_EQ(twice.fate, Fate::unusable);
  EXPECT_NE(twice.reason.find("more than once"), std::string::npos) << twice.reason;
  const Trial newer = tried(name, kept);
  EXPECT_EQ(newer.fate, Fate::unusable);
  EXPECT_NE(newer.reason.find("older than its file"), std::string::npos) << newer.reason;
}

}  // namespace
}  // namespace assay::report
