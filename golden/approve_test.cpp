#include "golden/approve.hpp"

#include "golden/file.hpp"
#include "golden/recorder.hpp"
#include "golden/store.hpp"
#include "golden/test_records.hpp"

namespace assay::golden {
namespace {

namespace fs = std::filesystem;

/// Records of silu_and_mul in two folders: what stands, and what is to replace it.
class Approval : public InFolder {
 protected:
  fs::path standing, fresh;
  Records records;

  void SetUp() override {
    InFolder::SetUp();
    standing = folder / "standing", fresh = folder / "fresh";
    fs::create_directories(standing);
    records = {.subject = "silu_and_mul", .suite = "smoke", .multiply_adds = 1e9, .origin = origin_on_gpu()};
    Bench bench({.workers = 1});
    for (const char* line : {"silu_and_mul rows=1 d=8 fill=normal seed=1", "silu_and_mul rows=2 d=64 fill=normal seed=2"})
      records.cases.push_back(take(bench, *find<Subject>("silu_and_mul"), parse_case(line), 1e9).record.value());
  }
  void put(const fs::path& where, const Records& r) const { write_file(where / place_of(r), r); }
  FileChange change() const { return changes_between(fresh, standing).at(0); }
};

TEST_F(Approval, OfFilesWhereNoneStoodAddsThem) {
  put(fresh, records);
  const std::vector<FileChange> all = changes_between(fresh, standing);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].place, "sm_90/smoke/silu_and_mul.h5");
  EXPECT_EQ(all[0].count(Fate::added), 2u);
  EXPECT_FALSE(all[0].refused());
  EXPECT_TRUE(files_beneath(standing).empty());
  replace_files(all, standing);
  EXPECT_EQ(read_file(standing / all[0].place), records);
  EXPECT_EQ(contents(standing / all[0].place), contents(all[0].file));
  EXPECT_EQ(std::distance(fs::directory_iterator(standing / "sm_90" / "smoke"), fs::directory_iterator()), 1);
}

TEST_F(Approval, SaysWhatChangesHowFarAndWhoConforms) {
  Records old = records;
  old.cases[1].tensors[0].words[70]++;  // row 1, column 6, one ulp
  old.cases[0].line = "silu_and_mul rows=1 d=9 fill=normal seed=1";
  put(standing, old), put(fresh, records);
  const FileChange all = change();
  EXPECT_EQ(all.count(Fate::added), 1u);
  EXPECT_EQ(all.count(Fate::removed), 1u);
  ASSERT_EQ(all.cases[1].fate, Fate::changed);
  EXPECT_EQ(all.cases[1].text.find("out row 1 column 6 is "), 0u) << all.cases[1].text;
  EXPECT_NE(all.cases[1].text.find("; 1 of 128 elements differ, by 1 ulp; the new bits are nearer the exact value; the new bits conform, "
                                   "the recorded ones do not conform ("),
            std::string::npos)
      << all.cases[1].text;
  EXPECT_FALSE(all.refused());
}

TEST_F(Approval, OfTheSameBitsWithNewerVerdictsIsNoChange) {
  Records old = records;
  old.cases[0].verdict.clear(), old.cases[0].tensors[0].reference.reset(), old.origin.tool.clear();
  put(standing, old), put(fresh, records);
  EXPECT_EQ(change().count(Fate::same), 2u);
}

TEST_F(Approval, RefusesWhatDoesNotConformWhateverTheFileSays) {
  Records wrong = records;
  wrong.cases[1].tensors[0].words[3] += 2;
  put(standing, records), put(fresh, wrong);
  EXPECT_TRUE(change().refused());
  EXPECT_EQ(change().cases[1].refusal.find("does not conform: product: out[0, 3] is "), 0u) << change().cases[1].refusal;
  wrong = records;
  wrong.cases[0].verdict = "FAIL: because";
  put(fresh, wrong);
  EXPECT_EQ(change().cases[0].refusal, "does not conform, as it was recorded: FAIL: because");
  wrong.cases[0].verdict.clear();
  put(fresh, wrong);
  EXPECT_EQ(change().cases[0].refusal, "has no verdict: record it with this program");
  wrong = records;
  wrong.cases[0].operands ^= 1;
  put(fresh, wrong);
  EXPECT_EQ(change().cases[0].refusal, "its operands are not those that this program makes of the case");
}

TEST_F(Approval, OfTilesCountsThemAndKeepsTheirVerdict) {
  Bench bench({.workers = 1});
  const Case c = parse_case("silu_and_mul rows=40 d=512 fill=normal seed=2");
  records.cases = {take(bench, *find<Subject>("silu_and_mul"), c, 1e9).record.value()};
  ASSERT_TRUE(records.cases[0].tensors[0].tiled());
  Records old = records;
  old.cases[0].tensors[0].words[7] ^= 1;
  put(standing, old), put(fresh, records);
  EXPECT_EQ(change().cases[0].text, "out: 1 of 80 tiles differ; the new bits: pass; the recorded ones: pass");
  EXPECT_FALSE(change().refused());
}

TEST_F(Approval, OfUnusableFilesIsBadInput) {
  auto refused = [&](const std::string& part) {
    const std::string text = complaint([&] { changes_between(fresh, standing); });
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  refused("holds no golden files");
  file("standing/x", ""), put(fresh, records);
  std::ofstream(fresh / "damaged.h5") << "text";
  refused("is no golden file");
  fs::remove(fresh / "damaged.h5");
  write_file(fresh / "x" / "silu_and_mul.h5", records);
  refused("another file of this folder is for sm_90/smoke/silu_and_mul.h5 too");
  fs::remove_all(fresh / "x");
  const auto refuses = [&](const std::string& part, auto change, const char* name = "silu_and_mul.h5") {
    Records other = records;
    change(other);
    write_file(fresh / "a" / name, other);  // the first that is read
    refused("a/" + std::string(name) + ": ");
    refused(part);
    fs::remove_all(fresh / "a");
  };
  refuses("there is no subject 'no_such'", [](Records& r) { r.subject = "no_such"; }, "no_such.h5");
  refuses("is of subject 'silu_and_mul': want it called silu_and_mul.h5", [](Records&) {}, "convert.h5");
  refuses("unknown backend", [](Records& r) { r.origin.backend = "../../elsewhere/"; });
  refuses("which is no <architecture>/<suite>/<subject>.h5", [](Records& r) { r.suite = ".."; });
  refuses("'e'", [](Records& r) { r.cases[0].line = "silu_and_mul rows=1 e=8"; });
  refuses("would be recorded as", [](Records& r) { r.cases[0].line = "silu_and_mul d=8 rows=1 fill=normal seed=1"; });
  refuses("is of another contract than subject 'silu_and_mul'", [](Records& r) { r.cases[0].line = "convert n=4 fill=normal seed=1"; });
  refuses("is there twice", [](Records& r) { r.cases.push_back(r.cases[0]); });
  refuses("holds no cases", [](Records& r) { r.cases.clear(); });
  refuses("has the verdict 'banana'", [](Records& r) { r.cases[0].verdict = "banana"; });
  refuses("'Card\\x1b[2J' holds control characters", [](Records& r) { r.origin.card = "Card\x1b[2J"; });
  refuses("attribute 'compute_capability' is 18446744073709551615, want at most", [](Records& r) { r.origin.compute_capability = -1; });
}

TEST_F(Approval, RefusesTensorsThatAreNotTheOutputsOfTheCase) {
  const auto refuses = [&](const std::string& why, auto change_it) {
    Records other = records;
    change_it(other.cases[0].tensors);
    put(fresh, other);
    EXPECT_EQ(change().cases[0].refusal, why);
  };
  refuses("lacks output 'out'", [](auto& tensors) { tensors.clear(); });
  refuses("lacks output 'out'", [](auto& tensors) { tensors[0].name = "y"; });
  refuses("holds output 'out' as 1 x 8 fp16, want 1 x 8 bf16", [](auto& tensors) { tensors[0].format = Format::fp16; });
  refuses("holds output 'out' as 2 x 4 bf16, want 1 x 8 bf16", [](auto& tensors) { tensors[0].rows = 2, tensors[0].columns = 4; });
  refuses("holds output 'out' in tiles of 1 x 8, want 0 x 0 (0: none)",
          [](auto& tensors) { tensors[0].tile_rows = 1, tensors[0].tile_columns = 8, tensors[0].words = {0}; });
  refuses("holds 2 tensors, want 1", [](auto& tensors) { tensors.push_back(tensors[0]), tensors.back().name = "z"; });
}

TEST_F(Approval, TakesThePlaceOfWhatCannotBeRead) {
  put(fresh, records);
  fs::create_directories(standing / "sm_90" / "smoke");
  std::ofstream(standing / place_of(records)) << "junk";
  const FileChange all = change();
  EXPECT_NE(all.unreadable.find("is no golden file"), std::string::npos) << all.unreadable;
  EXPECT_EQ(all.count(Fate::added), 2u);
  EXPECT_FALSE(all.refused());
}

TEST_F(Approval, ThatCannotWriteReplacesNothing) {
  put(standing, records);
  const std::string before = contents(standing / place_of(records));
  records.origin.card = "another";
  put(fresh, records);
  std::vector<FileChange> all = changes_between(fresh, standing);
  all.push_back(all[0]);
  all[1].place = fs::path("sm_90") / "smoke" / "silu_and_mul.h5" / "under_a_file";
  EXPECT_NE(complaint([&] { replace_files(all, standing); }).find("cannot be written"), std::string::npos);
  EXPECT_EQ(contents(standing / all[0].place), before);
  EXPECT_EQ(files_beneath(standing).size(), 1u);
  EXPECT_FALSE(fs::exists((standing / all[0].place).string() + ".part"));
}

}  // namespace
}  // namespace assay::golden
