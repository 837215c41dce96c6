#include "golden/verify.hpp"

#include <cmath>

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

Verdict verdict(Bench& bench, const Subject& subject, const Record& record, const Origin& origin) {
  return verify(bench, subject, record, origin).verdict;
}

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
      const Verdict said = verdict(second, subject, record, here(first));
      EXPECT_EQ(said.outcome, Outcome::pass) << said.reason;
      uint64_t elements = 0;
      for (const TensorRecord& t : record.tensors) elements += uint64_t(t.rows * t.columns);
      EXPECT_EQ(said.tally.judged, elements);
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
      failures += verdict(wrong, subject, taken(right, subject, c), here(right)).outcome == Outcome::fail;
    }
    EXPECT_GT(failures, 0) << image;
  }
}

TEST(Verify, NamesTheElementOfASingleFlippedBit) {
  Bench bench({.workers = 1});
  const Subject& subject = subject_named("silu_and_mul");
  Record record = taken(bench, subject, parse_case(kLine));
  record.tensors.at(0).words.at(80) ^= 1;
  const Verdict said = verdict(bench, subject, record, here(bench));
  EXPECT_EQ(said.outcome, Outcome::fail);
  EXPECT_EQ(said.reason.find("out row 1 column 3 is "), 0u) << said.reason;
  EXPECT_NE(said.reason.find("1 of 154 elements differ"), std::string::npos) << said.reason;
}

TEST(Verify, SaysWhenTheDeclarationHasChangedToo) {
  Bench bench({.workers = 1});
  const Subject& subject = subject_named("silu_and_mul");
  Record record = taken(bench, subject, parse_case(kLine));
  record.arithmetic = "another";
  EXPECT_EQ(verdict(bench, subject, record, here(bench)).outcome, Outcome::pass);
  record.tensors.at(0).words.at(0) ^= 1;
  EXPECT_NE(verdict(bench, subject, record, here(bench)).reason.find("declared when recorded: another"), std::string::npos);
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
    const Verdict said = verdict(bench, subject, record, here(bench));
    EXPECT_EQ(said.outcome, Outcome::fail);
    EXPECT_NE(said.reason.find(part), std::string::npos) << said.reason;
  }
  Record stale = good;
  stale.line = "silu_and_mul rows=2 e=77 fill=special seed=2";
  EXPECT_THROW(verdict(bench, subject, stale, here(bench)), BadInput);
}

/// The record of kLine with the codes `changed` of its first elements one ulp up.
Record nudged(Record record, size_t changed) {
  for (size_t i = 0; i < changed; i++) record.tensors.at(0).words.at(i)++;
  return record;
}

TEST(Verify, FallsBackToTheBoundsWhereBitsMayDiffer) {
  Bench bench({.workers = 1}), wrong({.workers = 1, .image = "silu_and_mul+silu_accumulates"});
  const Subject& subject = subject_named("silu_and_mul");
  const Record record = taken(bench, subject, parse_case(kLine));
  Origin other = here(bench);
  other.compute_capability = 80;
  EXPECT_EQ(verdict(bench, subject, record, other).outcome, Outcome::pass);  // equal all the same

  const Verified within = verify(bench, subject, nudged(record, 3), other);
  EXPECT_TRUE(within.within_bounds);
  EXPECT_EQ(within.verdict.outcome, Outcome::skip);  // no bits were confirmed
  EXPECT_EQ(within.verdict.reason, "bits differ as declared, within bounds: recorded on sm_80, this is sm_90");
  EXPECT_EQ(within.verdict.tally.judged, 154u);

  const Verified beyond = verify(wrong, subject, record, other);
  EXPECT_FALSE(beyond.within_bounds);
  EXPECT_EQ(beyond.verdict.outcome, Outcome::fail);
  EXPECT_NE(beyond.verdict.reason.find("bits differ, as they may (recorded on sm_80, this is sm_90), and out row "), std::string::npos);
  EXPECT_NE(beyond.verdict.reason.find("the new bits do not conform ("), std::string::npos) << beyond.verdict.reason;

  for (const bool repeatable : {true, false}) {
    Subject unclaimed = subject;
    unclaimed.repeatable = repeatable, unclaimed.declared = !repeatable;
    EXPECT_TRUE(verify(bench, unclaimed, nudged(record, 3), here(bench)).within_bounds);
  }
}

TEST(Verify, ExplainsWhoIsNearerAndWhoConforms) {
  Bench bench({.workers = 1});
  const Subject& subject = subject_named("silu_and_mul");
  const Record record = taken(bench, subject, parse_case("silu_and_mul rows=2 d=77 fill=normal seed=2"));
  const Verified one = verify(bench, subject, nudged(record, 1), here(bench));
  EXPECT_EQ(one.verdict.outcome, Outcome::fail);
  EXPECT_NE(one.verdict.reason.find("; 1 of 154 elements differ, by 1 ulp; the new bits are nearer the exact value; the new bits conform, "
                                    "the recorded ones do not conform (product: out[0, 0] is "),
            std::string::npos)
      << one.verdict.reason;
  ASSERT_EQ(one.details.size(), 2u);
  EXPECT_TRUE(one.details[0].starts_with("out row 0 column 0 is ") && one.details[0].ends_with(": 1 ulp")) << one.details[0];
  EXPECT_EQ(one.details[1], "out differs in rows: the first, 0; columns: the first, 0");
  Record number = record;
  number.tensors[0].words[5] = 0x7FFF;
  EXPECT_NE(verdict(bench, subject, number, here(bench)).reason.find("1 of 154 elements differ, 1 from or to NaN; the new bits are nearer"),
            std::string::npos)
      << verdict(bench, subject, number, here(bench)).reason;
}

TEST(Verify, SaysThatBothConformWhereTheDeclarationAllowsBoth) {
  Bench bench({.workers = 1});
  const Subject& subject = subject_named("fp8_scaled_gemm");  // 13-bit sums over 4096 k: many legal values
  const Record record = taken(bench, subject, parse_case("fp8_scaled_gemm m=2 n=16 k=4096 fill=normal seed=2"));
  const Verdict said = verdict(bench, subject, nudged(record, 2), here(bench));
  EXPECT_EQ(said.outcome, Outcome::fail);
  EXPECT_NE(said.reason.find("; 2 of 32 elements differ, by 1 ulp at most; "), std::string::npos) << said.reason;
  EXPECT_TRUE(said.reason.ends_with("; both conform")) << said.reason;
}

TEST(Verify, NamesWhatAMutantDoes) {
  Bench right({.workers = 1}), wrong({.workers = 1, .image = "silu_and_mul+silu_leaves_last_column"});
  const Subject& subject = subject_named("silu_and_mul");
  const Verified said =
      verify(wrong, subject, taken(right, subject, parse_case("silu_and_mul rows=4 d=61 fill=normal seed=2")), here(right));
  EXPECT_EQ(said.verdict.outcome, Outcome::fail);
  EXPECT_NE(said.verdict.reason.find("; 4 of 244 elements differ, by "), std::string::npos) << said.verdict.reason;
  EXPECT_NE(said.verdict.reason.find("; the recorded bits are nearer the exact value; the new bits do not conform ("), std::string::npos);
  EXPECT_TRUE(said.verdict.reason.ends_with(", the recorded ones conform")) << said.verdict.reason;
  ASSERT_FALSE(said.details.empty());
  EXPECT_EQ(said.details.back(), "out differs in rows: all 4; columns: the last, 60");
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
  const Verdict some = verdict(sampled, subject, record, here(whole)), all = verdict(whole, subject, record, here(whole));
  EXPECT_EQ(some.outcome, Outcome::pass) << some.reason;
  EXPECT_EQ(all.tally.judged, 72u * 256);
  EXPECT_GT(some.tally.judged, 0u);
  EXPECT_LT(some.tally.judged, all.tally.judged);
}

TEST_F(Sampled, RunsFindAFlippedBitInAFirstBlock) {
  Record record = this->record({8, 8});
  record.tensors[0].words[0] ^= 1;  // the first block always runs
  EXPECT_EQ(verdict(sampled, subject, record, here(whole)).outcome, Outcome::fail);
}

TEST_F(Sampled, RunsThatComputeNoTileWholeAreUntrusted) {
  const Verdict said = verdict(sampled, subject, record({72, 256}), here(whole));
  EXPECT_EQ(said.outcome, Outcome::untrusted);
  EXPECT_EQ(said.reason, "none of the blocks that ran computes a whole tile of y");
}

TEST_F(Sampled, CasesAreNotRecordedOnTheEmulator) {
  const Take take = golden::take(whole, subject, c, 1e6);
  EXPECT_EQ(take.verdict.outcome, Outcome::skip);
  EXPECT_FALSE(take.record);
}

TEST(Take, KeepsVerdictAndReference) {
  Bench bench({.workers = 1});
  const Case c = parse_case("silu_and_mul rows=4 d=64 fill=normal seed=2");
  const Take right = golden::take(bench, subject_named("silu_and_mul"), c, 1e9);
  ASSERT_TRUE(right.record);
  EXPECT_EQ(right.record->verdict, "pass");
  ASSERT_TRUE(right.record->tensors.at(0).reference);
  const Reference reference = *right.record->tensors[0].reference;
  const Verdict& judged = bench.judged(subject_named("silu_and_mul"), c);
  EXPECT_EQ(reference.judged, judged.tally.judged);
  EXPECT_EQ(reference.nearest, judged.tally.judged - judged.tally.off_nearest);
  EXPECT_EQ(reference.single_legal, judged.tally.single_legal);
  EXPECT_EQ(reference.worst_share, std::fmax(judged.worst_share, 0));
  EXPECT_GT(reference.rounded, 250u);
  uint64_t hash = 0;
  if (reference.nearest == 256 && reference.rounded == 256) {  // then what was found is what the exact values round to
    for (size_t i = 0; i < 256; i++) hash += element_hash(i, right.record->tensors[0].words[i]);
    EXPECT_EQ(reference.hash, hash);
  }
}

TEST(Take, KeepsBitsThatDoNotConformWithTheirVerdict) {
  Bench bench({.workers = 1, .image = "w4a16_gemv+gemv_zero_point_seven"});
  const Take wrong =
      golden::take(bench, subject_named("w4a16_gemv"), parse_case("w4a16_gemv m=2 n=8 k=64 group=16 fill=normal seed=2"), 1e9);
  EXPECT_EQ(wrong.verdict.outcome, Outcome::fail);
  ASSERT_TRUE(wrong.record);
  EXPECT_FALSE(wrong.record->conforms());
  EXPECT_TRUE(wrong.record->verdict.starts_with("FAIL: product: y[")) << wrong.record->verdict;
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

TEST(Verify, JudgesAKernelThatCallsALibraryFunctionByItsBounds) {
  Bench right({}), calling({.image = "silu_and_mul+silu_calls_library"});
  const Subject& subject = subject_named("silu_and_mul");
  const Record record = taken(right, subject, parse_case(kLine));
  EXPECT_EQ(verdict(calling, subject, record, here(right)).outcome, Outcome::pass);  // the same bits all the same
  const Verified said = verify(calling, subject, nudged(record, 3), here(right));
  EXPECT_TRUE(said.within_bounds);
  EXPECT_NE(said.verdict.reason.find("the kernel calls expf"), std::string::npos) << said.verdict.reason;
}

}  // namespace
}  // namespace assay::golden
