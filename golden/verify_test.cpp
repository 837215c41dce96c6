#include "golden/verify.hpp"

#include "fixtures/law.hpp"
#include "fixtures/suite/suite.hpp"
#include "golden/file.hpp"
#include "golden/hash.hpp"
#include "golden/recorder.hpp"
#include "golden/store.hpp"
#include "golden/test_records.hpp"
#include "golden/tile.hpp"

namespace assay::golden {
namespace {

namespace fs = std::filesystem;

const char* const kLine = "silu_and_mul rows=2 d=77 in_pad=1 out_pad=3 offset=1 fill=special seed=2";

Origin here(const Bench& bench) { return origin_of(bench.device().describe(), bench.settings().backend, ""); }

const Subject& subject_named(const char* name) { return *find<Subject>(name); }

Record taken(Bench& bench, const Subject& subject, const Case& c) {
  Take take = golden::take(bench, subject, c, 1e9);
  EXPECT_EQ(take.verdict.outcome, Outcome::pass) << take.verdict.reason;
  return take.record.value_or(Record{});
}

TEST(Verify, PassesTheWholeSmokeSuiteAfterItWasRecorded) {
  const Suite suite = load_suite("smoke");
  for (const Subject& subject : registry<Subject>())
    for (const Case& c : suite.cases) {
      if (c.contract != subject.contract) continue;
      Bench first({.workers = 1}), second({.workers = 2, .schedule = 3});
      if (!subject.repeatable || first.refusal(subject, c)) continue;
      const Record record = taken(first, subject, c);
      const Verdict verdict = verify(second, subject, record, here(first));
      EXPECT_EQ(verdict.outcome, Outcome::pass) << verdict.reason;
      uint64_t elements = 0;
      for (const TensorRecord& t : record.tensors) elements += uint64_t(t.rows * t.columns);
      EXPECT_EQ(verdict.tally.judged, elements);
    }
}

TEST(Verify, CatchesMutants) {
  for (const char* image : {"w4a16_gemv+gemv_drops_last_word", "w4a16_gemv+gemv_zero_point_seven", "w4a16_gemv+gemv_scale_of_next_group",
                            "fused_add_rms_norm+rms_norm_drops_last_element", "rope_neox+rope_rotates_whole_head",
                            "silu_and_mul+silu_accumulates", "silu_and_mul+silu_leaves_last_column"}) {
    const Subject& subject = subject_named(std::string(image).substr(0, std::string(image).find('+')).c_str());
    int failures = 0;
    for (const Case& c : load_suite("smoke").cases) {
      if (c.contract != subject.contract) continue;
      Bench right({.workers = 1}), wrong({.workers = 1, .image = image});
      failures += verify(wrong, subject, taken(right, subject, c), here(right)).outcome == Outcome::fail;
    }
    EXPECT_GT(failures, 0) << image;
  }
}

TEST(Verify, NamesTheElementOfASingleFlippedBit) {
  Bench bench({.workers = 1});
  const Subject& subject = subject_named("silu_and_mul");
  Record record = taken(bench, subject, parse_case(kLine));
  record.tensors.at(0).words.at(80) ^= 1;
  const Verdict verdict = verify(bench, subject, record, here(bench));
  EXPECT_EQ(verdict.outcome, Outcome::fail);
  EXPECT_EQ(verdict.reason.find("out row 1 column 3 is "), 0u) << verdict.reason;
  EXPECT_NE(verdict.reason.find("1 of 154 elements differ"), std::string::npos) << verdict.reason;
}

TEST(Verify, SaysWhenTheDeclarationHasChangedToo) {
  Bench bench({.workers = 1});
  const Subject& subject = subject_named("silu_and_mul");
  Record record = taken(bench, subject, parse_case(kLine));
  record.arithmetic = "another";
  EXPECT_EQ(verify(bench, subject, record, here(bench)).outcome, Outcome::pass);
  record.tensors.at(0).words.at(0) ^= 1;
  EXPECT_NE(verify(bench, subject, record, here(bench)).reason.find("declared when recorded: another"), std::string::npos);
}

TEST(Verify, FailsOnOtherOperandsAndOtherTensors) {
  Bench bench({.workers = 1});
  const Subject& subject = subject_named("silu_and_mul");
  const Record good = taken(bench, subject, parse_case(kLine));
  Record operands = good, renamed = good, missing = good, reshaped = good;
  operands.operands ^= 1, renamed.tensors[0].name = "z", missing.tensors.clear(), reshaped.tensors[0].rows = 1;
  for (const auto& [record, part] : {std::pair(operands, "fill or contract have changed, record anew"),
                                     {renamed, "no output 'z'"},
                                     {missing, "1 outputs, recorded were 0"},
                                     {reshaped, "recorded was out, 1 x 77"}}) {
    const Verdict verdict = verify(bench, subject, record, here(bench));
    EXPECT_EQ(verdict.outcome, Outcome::fail);
    EXPECT_NE(verdict.reason.find(part), std::string::npos) << verdict.reason;
  }
  Record stale = good;
  stale.line = "silu_and_mul rows=2 e=77 fill=special seed=2";
  EXPECT_THROW(verify(bench, subject, stale, here(bench)), BadInput);
}

TEST(Verify, SkipsWhereTheClaimDoesNotHold) {
  Bench bench({.workers = 1});
  const Subject& subject = subject_named("silu_and_mul");
  const Record record = taken(bench, subject, parse_case(kLine));
  Origin other = here(bench);
  other.compute_capability = 80;
  const Verdict verdict = verify(bench, subject, record, other);
  EXPECT_EQ(verdict.outcome, Outcome::skip);
  EXPECT_EQ(verdict.reason, "recorded on sm_80, this is sm_90");
}

TEST(Claim, HoldsBetweenTheGpuAndTheEmulator) {
  const Bench bench({});
  EXPECT_EQ(no_claim(origin_on_gpu(), here(bench)), std::nullopt);
  EXPECT_EQ(no_claim(origin_on_gpu(), origin_on_gpu()), std::nullopt);
}

TEST(Claim, NeedsEachOfItsConditions) {
  const Origin gpu = origin_on_gpu();
  Origin architecture = gpu, multiprocessors = gpu, toolkit = gpu, contracted = gpu, driver = gpu;
  architecture.compute_capability = 89, multiprocessors.multiprocessors = 114, toolkit.runtime = 12080, driver.driver = 12080;
  contracted.toolkit = "CUDA 13.0, nvcc 13.0.88, sm_90";
  EXPECT_EQ(no_claim(architecture, gpu), "recorded on sm_89, this is sm_90");
  EXPECT_EQ(no_claim(multiprocessors, gpu), "recorded on 114 multiprocessors, this has 132");
  EXPECT_EQ(no_claim(toolkit, gpu), "recorded with CUDA 12, this is CUDA 13");
  EXPECT_EQ(no_claim(contracted, gpu), "recorded from kernels built without -fmad=false (CUDA 13.0, nvcc 13.0.88, sm_90)");
  EXPECT_EQ(no_claim(gpu, contracted), "these kernels are built without -fmad=false (CUDA 13.0, nvcc 13.0.88, sm_90)");
  EXPECT_EQ(no_claim(driver, gpu), std::nullopt);
}

/// A case that a budget of 1e6 samples, recorded from a whole run as a GPU's would be.
struct Sampled : testing::Test {
  const Case c = parse_case("w4a16_gemv m=72 n=256 k=256 group=64 fill=normal seed=1");
  const Subject& subject = subject_named("w4a16_gemv");
  Bench whole{{}}, sampled{{.multiply_adds = 1e6}};

  Record record(Shape tile) {
    Record r{.line = to_line(c), .operands = hash_of_operands(whole.operands(c))};
    for (const Tensor& t : whole.run(subject, c).outputs) r.tensors.push_back(recorded(t, tile));
    return r;
  }
};

TEST_F(Sampled, RunsAreComparedByTheirTiles) {
  const Record record = this->record(tile_shape(whole.run(subject, c).outputs[0].spec, subject, c.parameters, true));
  const Verdict some = verify(sampled, subject, record, here(whole)), all = verify(whole, subject, record, here(whole));
  EXPECT_EQ(some.outcome, Outcome::pass) << some.reason;
  EXPECT_EQ(all.tally.judged, 72u * 256);
  EXPECT_GT(some.tally.judged, 0u);
  EXPECT_LT(some.tally.judged, all.tally.judged);
}

TEST_F(Sampled, RunsFindAFlippedBitInAFirstBlock) {
  Record record = this->record({8, 8});
  record.tensors[0].words[0] ^= 1;  // the first block always runs
  EXPECT_EQ(verify(sampled, subject, record, here(whole)).outcome, Outcome::fail);
}

TEST_F(Sampled, RunsThatComputeNoTileWholeAreUntrusted) {
  const Verdict verdict = verify(sampled, subject, record({72, 256}), here(whole));
  EXPECT_EQ(verdict.outcome, Outcome::untrusted);
  EXPECT_EQ(verdict.reason, "none of the blocks that ran computes a whole tile of y");
}

TEST_F(Sampled, CasesAreNotRecordedOnTheEmulator) {
  const Take take = golden::take(whole, subject, c, 1e6);
  EXPECT_EQ(take.verdict.outcome, Outcome::skip);
  EXPECT_FALSE(take.record);
}

TEST(Take, SkipsASubjectThatClaimsNoBits) {
  Bench bench({.workers = 1});
  const Take take = golden::take(bench, subject_named("gptq_gemm_atomic"), parse_case("gptq_gemm m=1 n=8 k=8 group=8 fill=normal seed=1"), 1e9);
  EXPECT_EQ(take.verdict.outcome, Outcome::skip);
  EXPECT_EQ(take.verdict.reason, "gptq_gemm_atomic does not claim to give the same bits twice");
  EXPECT_FALSE(take.record);
}

TEST(Take, RefusesBitsThatDoNotRepeatAndRunsThatDoDamage) {
  const Case c = parse_case("silu_and_mul rows=3 d=256 fill=normal seed=1");
  for (const auto& [image, part] : {std::pair("silu_and_mul+silu_accumulates", "a second run gives other bits: out row "),
                                    std::pair("silu_and_mul+silu_writes_past_row", "wrote outside tensor")}) {
    Bench bench({.workers = 1, .image = image});
    bool refused = false;
    for (const Case& other : {c, parse_case(kLine), parse_case("silu_and_mul rows=2 d=512 fill=exact seed=3")}) {
      const Take take = golden::take(bench, subject_named("silu_and_mul"), other, 1e9);
      refused |= take.verdict.outcome == Outcome::fail && take.verdict.reason.find(part) == 0 && !take.record;
    }
    EXPECT_TRUE(refused) << image;
  }
}

class Store : public InFolder {};

TEST_F(Store, PutsRecordsByArchitectureSuiteAndSubject) {
  Records records = small_records();
  EXPECT_EQ(place_of(records), "sm_90/smoke/silu_and_mul.h5");
  records.origin.backend = "emu", records.suite = "folder/mine.suite";
  EXPECT_EQ(place_of(records), "emu_sm_90/mine/silu_and_mul.h5");
}

TEST_F(Store, ListsFilesInOrderAndNothingElse) {
  EXPECT_TRUE(files_beneath(folder / "missing").empty());
  fs::create_directories(folder / "b");
  file("b/x.h5", ""), file("c.h5", ""), file("a.h5.part", ""), file("README.md", "");
  EXPECT_EQ(files_beneath(folder), (std::vector<fs::path>{folder / "b" / "x.h5", folder / "c.h5"}));
}

TEST_F(Store, IsWhereTheEnvironmentSays) {
  setenv("ASSAY_RECORDS", folder.c_str(), 1);
  EXPECT_EQ(standard_folder(), folder);
  setenv("ASSAY_RECORDS", (folder / "missing").c_str(), 1);
  EXPECT_NE(complaint([] { standard_folder(); }).find("there is no such folder"), std::string::npos);
  unsetenv("ASSAY_RECORDS");
  EXPECT_EQ(standard_folder().filename(), "records");
}

TEST_F(Store, GivesTheLawWhatItJudgesBy) {
  const Law& law = *find<Law>("golden");
  const Subject& subject = subject_named("silu_and_mul");
  const Case c = parse_case(kLine), unknown = parse_case("silu_and_mul rows=1 d=9 fill=normal seed=1");
  Bench bench({.workers = 1});
  Records records{
      .subject = subject.name, .suite = "smoke", .multiply_adds = 1e9, .origin = here(bench), .cases = {taken(bench, subject, c)}};
  write_file(folder / place_of(records), records);
  records.origin.compute_capability = 80;
  records.cases[0].tensors[0].words[0] ^= 1;
  write_file(folder / place_of(records), records);
  setenv("ASSAY_RECORDS", folder.c_str(), 1);
  EXPECT_TRUE(law.applies(subject, c));
  EXPECT_FALSE(law.applies(subject, unknown));
  EXPECT_FALSE(law.applies(subject_named("silu_and_mul_rounded"), c));
  EXPECT_EQ(verdict_of(law, bench, subject, c).outcome, Outcome::pass);
  Bench wrong({.workers = 1, .image = "silu_and_mul+silu_accumulates"});
  EXPECT_EQ(verdict_of(law, wrong, subject, c).outcome, Outcome::fail);
  unsetenv("ASSAY_RECORDS");
}

TEST(Verify, SkipsAKernelThatCallsALibraryFunction) {
  Bench recorded({}), calling({.image = "silu_and_mul+silu_calls_library"});
  const Subject& subject = subject_named("silu_and_mul");
  const Record record = taken(recorded, subject, parse_case(kLine));
  const Verdict verdict = verify(calling, subject, record, here(recorded));
  EXPECT_EQ(verdict.outcome, Outcome::skip);
  EXPECT_NE(verdict.reason.find("expf"), std::string::npos) << verdict.reason;
}

}  // namespace
}  // namespace assay::golden
