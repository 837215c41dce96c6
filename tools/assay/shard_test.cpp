// Runs in parts, and their reports joined: what the whole run writes, but for its seconds.
#include "tools/assay/test_command_line.hpp"

namespace assay::tools {
namespace {

class Shards : public CommandLine {
 protected:
  std::string report(const std::string& name) const { return folder / (name + ".json"); }

  std::string shard(const Words& words, int k, int of, const std::string& name) const {
    const std::string path = report(name + std::to_string(k)), which = std::to_string(k) + "/" + std::to_string(of);
    const Ended ended = assay(words + Words{"--shard", which, "--json", path});
    EXPECT_NE(ended.code, 2) << ended.err;
    EXPECT_TRUE(ended.out.starts_with("shard " + which + " of the cases\n")) << ended.out;
    return path;
  }

  /// Reports of all shards of a command.
  Words shards(const Words& words, int of, const std::string& name = "shard") const {
    Words files;
    for (int k = 1; k <= of; k++) files.push_back(shard(words, k, of, name));
    return files;
  }

  /// The run whole, in processes, and in so many shards give one report, one text and one exit code.
  void expect_one_report(const Words& words, int of) const {
    const Ended whole = assay(words + Words{"--json", report("whole"), "--junit", folder / "whole.xml"});
    const Ended jobs = assay(words + Words{"--json", report("jobs"), "--jobs", "3"});
    Words files = shards(words, of);
    std::ranges::reverse(files);  // their order does not matter
    const Ended merged = assay(Words{"merge"} + files + Words{"--json", report("merged"), "--junit", folder / "merged.xml"});
    EXPECT_EQ(merged.code, whole.code) << merged.err;
    EXPECT_EQ(jobs.code, whole.code) << jobs.err;
    EXPECT_EQ(without_seconds(report("merged")), without_seconds(report("whole")));
    EXPECT_EQ(without_seconds(report("jobs")), without_seconds(report("whole")));
    EXPECT_EQ(contents(folder / "merged.xml"), contents(folder / "whole.xml"));
    EXPECT_EQ(merged.out.substr(0, merged.out.rfind(", ")), whole.out.substr(0, whole.out.rfind(", ")));
  }
};

const Words kSilu{"check", "silu_and_mul*", "conforms", "exact", "guarded", "heeds", "permutes", "--suite", "smoke", "--cases", "7"};
const Words kMutant{"--image", "silu_and_mul+silu_leaves_last_column"};

TEST_F(Shards, OfARunThatPassesGiveItsReport) {
  expect_one_report({"check", "silu_and_mul", "fp8_quant_static", "bf16_gemm", "conforms", "exact", "heeds", "unbiased", "--suite", "smoke",
                     "--cases", "3"},
                    3);
}

TEST_F(Shards, OfARunThatFailsGiveItsReport) { expect_one_report(kSilu + kMutant, 4); }

TEST_F(Shards, MayBeOneOrMoreThanThereAreCases) {
  const Words few{"check", "conforms.silu_and_mul", "--suite", "smoke", "--cases", "2"};
  expect_one_report(few, 1);
  expect_one_report(few, 9);
}

TEST_F(Shards, OfAPluginThatDiesGiveItsReport) {
  for (const char* fault : {"crashes", "crashes_in_supports"})
    expect_one_report({"check", "conforms", "repeats", "--plugin", plugin(fault), "--suite", "smoke", "--cases", "6"}, 3);
}

/// No shard alone can say whether the cases together prove enough, or whether an entry's failure no longer happens.
TEST_F(Shards, LeaveToTheMergeWhatIsAboutAllCases) {
  const std::string vacuous = file("vacuous.suite", "budget=1e6\nsilu_and_mul rows=0 d=8\nsilu_and_mul rows=2 d=8\n");
  expect_one_report({"check", "silu_and_mul", "--suite", vacuous, "--cases", "0"}, 2);
  const std::string entry =
      "[[failure]]\nsubject = \"silu_*\"\nlaw = \"guarded\"\nreason = \"the last column\"\nlink = \"https://example.org/7\"\n";
  expect_one_report(kSilu + Words{"--ledger", file("known.toml", entry)} + kMutant, 3);
  expect_one_report(kSilu + Words{"--ledger", file("gone.toml", entry)}, 2);
}

TEST_F(Shards, ThatDoNotMakeOneRunAreRefused) {
  const Words words{"check", "conforms.silu_and_mul", "--suite", "smoke", "--cases", "3"}, merge{"merge"};
  const Words a = shards(words, 2);
  expect_bad_input(merge + Words{a[0]}, "shard 2/2 is missing: want the reports of all 2 shards");
  expect_bad_input(merge + Words{a[0], a[1], a[0]}, "shard 1/2 is there twice: " + a[0]);
  expect_bad_input(merge + a + Words{"--json", a[0]}, "would overwrite what is read from " + a[0]);
  expect_bad_input(merge, "files");
  const std::pair<Words, const char*> others[] = {
      {{"--seed", "2"}, "are of different runs: seed=1 and seed=2"},
      {{"--schedule", "3"}, "are of different runs: schedule=0 and schedule=3"},
      {{"--suite", file("own.suite", "budget=1e6\nsilu_and_mul rows=2 d=8\n")}, "are of different runs: suite=smoke:"},
      {{"--cases", "4"}, "are of different runs: cases=3 and cases=4"},
      {kMutant, "are of different runs: subjects="},
      {{"repeats"}, "are of different runs: laws="},
      {{"--isolate"}, "are of different runs: isolated=false and isolated=true"},
      {{"--limit", "7"}, "are of different runs: limit=120 and limit=7"},
  };
  for (const auto& [change, why] : others) {
    Words changed = words;
    for (size_t i = 0; i + 1 < change.size(); i++)  // an option that is there already
      if (const auto at = std::ranges::find(changed, change[i]); at != changed.end()) changed.erase(at, at + 2);
    expect_bad_input(merge + Words{a[0], shard(changed + change, 2, 2, "other")}, why);
  }
  expect_bad_input(merge + Words{a[0], shard(words, 2, 3, "third")}, "are of different runs: numbers of shards 2 and 3");
}

TEST_F(Shards, ThatAreDamagedAreRefusedWhereverTheyAre) {
  const Words files = shards({"check", "conforms.silu_and_mul", "--suite", "smoke", "--cases", "2"}, 2);
  const std::string whole = contents(files[0]);
  for (size_t at = 0; at + 1 < whole.size(); at += whole.size() / 40) {
    std::string damaged = whole;
    damaged[at] = char(damaged[at] ^ 1);
    file("shard1.json", damaged);
    expect_bad_input({"merge", files[0], files[1]}, "report " + files[0] + ": is ");
    file("shard1.json", whole.substr(0, at));
    expect_bad_input({"merge", files[0], files[1]}, "report " + files[0] + ": is no JSON");
  }
  file("shard1.json", whole);
  EXPECT_EQ(assay({"merge", files[0], files[1]}).code, 0);
  for (const char* text : {"", "{}", "[]", "null", "{\"shard\": 1}", "garbage", "[[[[[["}) {
    file("shard1.json", text);
    expect_bad_input({"merge", files[0], files[1]}, "report " + files[0] + ": is no ");
  }
  EXPECT_EQ(assay({"check", "conforms.silu_and_mul", "--suite", "smoke", "--cases", "2", "--json", files[0]}).code, 0);
  expect_bad_input({"merge", files[0], files[1]}, "is no report of a shard: want one that assay check --shard k/n --json wrote");
  expect_bad_input({"merge", folder / "none.json"}, "none.json: there is no such file");
  expect_bad_input({"merge", folder}, ": is a folder, want a file");
}

TEST_F(Shards, BadShardsAreRefused) {
  for (const char* shard : {"", "0/2", "3/2", "-1/2", "1", "1/", "/2", "1/2/3", "a/b", "1/0", "1/99999999", "1 /2"})
    expect_bad_input(kQuickCheck + Words{"--shard", shard}, "want k/n, such as 1/4");
  expect_bad_input(kQuickCheck + Words{"--shard", "1/2", "--report", folder / "page.html"}, "--report is of a whole run");
}

}  // namespace
}  // namespace assay::tools
