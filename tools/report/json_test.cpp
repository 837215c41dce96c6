#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tools/report/report.hpp"

namespace assay::report {
namespace {

using nlohmann::json;

Report with_cells(std::vector<properties::Cell> cells) {
  return {.suite = "smoke", .seed = UINT64_MAX, .backend = "emu", .cells = std::move(cells)};
}

properties::Cell failing() {
  return {.subject = "silu_and_mul",
          .law = "conforms",
          .verdict = failed("out row 0 column 1: \"quoted\"\n\t\x01"),
          .cases = 3,
          .smallest = {.problem = parse_case("silu_and_mul rows=2"), .subject = "silu_and_mul", .law = "conforms"},
          .first_failing = "silu_and_mul rows=4"};
}

TEST(Json, HoldsEveryCellWithItsReproducer) {
  const json report = json::parse(to_json(with_cells({failing(), {.subject = "convert", .law = "exact", .verdict = skipped("no case")}})));
  ASSERT_EQ(report["cells"].size(), 2u);
  EXPECT_EQ(report["exit_code"], 1);
  EXPECT_EQ(report["cells"][0]["outcome"], "FAIL");
  EXPECT_EQ(report["cells"][0]["reason"], failing().verdict.reason);
  EXPECT_EQ(report["cells"][0]["reproducer"], to_line(failing().smallest));
  EXPECT_EQ(report["cells"][1]["reason"], "no case");
}

TEST(Json, HoldsTheMeanDriftWhereTheLawThatAsksForItRan) {
  properties::Cell drifting{.subject = "fp8_scaled_gemm", .law = "drifts", .cases = 1}, conforming = drifting;
  drifting.verdict.drift = conforming.verdict.drift = {.elements = 4, .seen = 6, .expected = 8};
  conforming.law = "conforms";
  const Report report = with_cells({drifting, conforming});
  const json cells = json::parse(to_json(report))["cells"];
  EXPECT_EQ(cells[0]["drift"], (json{{"elements", 4.0}, {"seen", 1.5}, {"expected", 2.0}}));
  EXPECT_FALSE(cells[1].contains("drift"));
  const std::string line = "\ndrift of fp8_scaled_gemm: 1.5 ulp toward zero, 2 expected, in the mean of 4 elements\n";
  EXPECT_NE(to_text(report, false).find(line), std::string::npos);
}

TEST(Json, KeepsA64BitSeedWhole) { EXPECT_EQ(json::parse(to_json(with_cells({failing()})))["seed"].get<uint64_t>(), UINT64_MAX); }

TEST(Json, AReportWithoutCellsHoldsAnEmptyList) {
  const json report = json::parse(to_json(with_cells({})));
  EXPECT_TRUE(report["cells"].is_array());
  EXPECT_TRUE(report["cells"].empty());
}

TEST(Json, ASuitePathNeedNotBeUtf8) {
  Report report = with_cells({failing()});
  report.suite = "./caf\xe9\xff.suite";
  EXPECT_EQ(json::parse(to_json(report))["suite"], "./caf\uFFFD\uFFFD.suite");
}

TEST(Json, NumbersThatJsonHasNoWordForStayReadable) {
  properties::Cell cell = failing();
  cell.verdict.worst_share = INFINITY;
  EXPECT_EQ(json::parse(to_json(with_cells({cell})))["cells"].size(), 1u);
}

}  // namespace
}  // namespace assay::report
