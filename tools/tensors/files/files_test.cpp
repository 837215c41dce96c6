#include "tools/tensors/files/files.hpp"

#include <gtest/gtest.h>

#include "fixtures/fill/fill.hpp"
#include "golden/contents.hpp"
#include "tools/tensors/test_safetensors.hpp"

namespace assay::tools {
namespace {

namespace fs = std::filesystem;

class ReplayOf : public testing::Test {
 protected:
  fs::path folder;
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "assay_replay_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string file_of(const Case& c) const { return written(folder / "t.safetensors", safetensors_of(make_tensors(c))); }

  static properties::Plan plan_of(const std::string& contract) {
    properties::Plan plan;
    for (const Subject& s : registry<Subject>())
      if (s.contract == contract && s.plugin.empty()) plan.subjects.push_back(&s);
    for (const Law& law : registry<Law>()) plan.laws.push_back(&law);
    return plan;
  }
  static std::string complaint(properties::Plan plan, const Replay& r) {
    try {
      replay_into(plan, r, from_file);
    } catch (const BadInput& e) {
      return e.what();
    }
    return "no complaint";
  }
};

TEST_F(ReplayOf, TensorsAreCheckedUnderLawsThatHoldOnAny) {
  properties::Plan plan = plan_of("fp8_scaled_gemm");
  const Replay r{
      .file = file_of(parse_case("fp8_scaled_gemm m=5 n=24 k=64 a_scale=per_token bias=1 fill=outlier seed=3")), .line = "", .names = {}};
  EXPECT_NE(replay_into(plan, r, from_file).find(r.file + ": fp8_scaled_gemm m=5 n=24 k=64 dtype=bf16 a_scale=per_token"),
            std::string::npos);
  size_t passed = 0;
  for (const properties::Cell& cell : properties::check(plan, {})) {
    EXPECT_NE(cell.verdict.outcome, Outcome::fail) << cell.law << cell.verdict.reason;
    EXPECT_NE(cell.law, "unbiased");
    passed += cell.law == "conforms" && cell.verdict.outcome == Outcome::pass && cell.verdict.tally.judged == 5 * 24;
  }
  EXPECT_GE(passed, 2u);
}

/// The kernel gets the file's elements: what it leaves of an element set to 1 is that of 1.
TEST_F(ReplayOf, AFailureLeavesAReproducerThatFails) {
  const Case c = parse_case("silu_and_mul rows=3 d=41 fill=normal seed=1");
  properties::Plan plan = plan_of(c.contract);
  std::erase_if(plan.subjects, [](const Subject* s) { return s->name != "silu_and_mul"; });
  std::erase_if(plan.laws, [](const Law* law) { return law->name != "guarded"; });
  const Replay r{.file = file_of(c), .line = "", .names = {}};
  replay_into(plan, r, from_file);
  const BenchSettings mutant{.image = "silu_and_mul+silu_leaves_last_column"};
  std::vector<properties::Cell> cells = properties::check(plan, mutant);
  ASSERT_EQ(cells.size(), 1u);
  ASSERT_EQ(cells[0].verdict.outcome, Outcome::fail) << cells[0].verdict.reason;
  say_again(cells, plan, r, mutant, "");
  EXPECT_NE(cells[0].again.find("assay check guarded.silu_and_mul --tensors '" + r.file), std::string::npos) << cells[0].again;
  say_again(cells, plan, r, mutant, folder);
  const golden::Contents left = golden::read_contents(folder / "silu_and_mul-guarded.h5");
  EXPECT_EQ(cells[0].again,
            "assay repro '" + (folder / "silu_and_mul-guarded.h5").string() + "' --image 'silu_and_mul+silu_leaves_last_column'");
  const auto again = properties::reproduce(left.reproducer, left.operands, mutant);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].verdict.outcome, Outcome::fail);

  // and the reproducer is a file of tensors itself
  properties::Plan second = plan_of(c.contract);
  replay_into(second, {.file = folder / "silu_and_mul-guarded.h5", .line = "", .names = {}}, from_file);
  EXPECT_EQ(second.suite.cases.front().parameters, c.parameters);
}

TEST_F(ReplayOf, WhatIsNoReplayIsSaid) {
  const std::string file = file_of(parse_case("silu_and_mul rows=3 d=4 fill=normal seed=1"));
  properties::Plan plan = plan_of("silu_and_mul");
  EXPECT_NE(complaint(plan, {.file = folder / "absent", .line = "", .names = {}}).find("is no file that can be read"), std::string::npos);
  EXPECT_NE(complaint(plan, {.file = file, .line = "", .names = {"gate_up"}}).find("--map 'gate_up': want operand=tensor"),
            std::string::npos);
  EXPECT_NE(complaint(plan, {.file = file, .line = "", .names = {"gate_up=gate_up", "gate_up=x"}}).find("mapped twice"), std::string::npos);
  EXPECT_NE(complaint(plan, {.file = file, .line = "convert", .names = {}}).find("--shapes is of convert, and the filter selects none"),
            std::string::npos);
  plan.subjects.push_back(find<Subject>("convert"));
  EXPECT_NE(complaint(plan, {.file = file, .line = "", .names = {}}).find("one contract, and 2 are selected"), std::string::npos);
  EXPECT_EQ(complaint(plan, {.file = file, .line = "silu_and_mul", .names = {}}), "no complaint");
  std::erase_if(plan.laws, [](const Law* law) { return law->name != "unbiased"; });
  EXPECT_NE(complaint(plan, {.file = file, .line = "silu_and_mul", .names = {}}).find("none of the laws that hold on any contents"),
            std::string::npos);
}

}  // namespace
}  // namespace assay::tools
