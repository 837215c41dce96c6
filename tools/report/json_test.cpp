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

TEST(Json, HoldsKnownFailuresAndTheTextToo) {
  properties::Cell cell{.subject = "convert", .law = "exact", .cases = 2};
  cell.verdict.outcome = Outcome::known;
  cell.known = {{.entry = {.reason = "rounds \"up\"", .link = "https://example.org/7", .place = "ledger known.toml, line 3"},
                 .failed = 3,
                 .passed = 1,
                 .first = parse_case("convert n=8"),
                 .failure = "out[0, 0] is 1"}};
  const Report report = with_cells({cell});
  const json parsed = json::parse(to_json(report)), known = parsed["cells"][0]["known"];
  EXPECT_EQ(parsed["exit_code"], 0);
  EXPECT_EQ(parsed["cells"][0]["outcome"], "known");
  EXPECT_EQ(known, (json{{{"entry", "ledger known.toml, line 3"}, {"reason", "rounds \"up\""}, {"link", "https://example.org/7"},
                          {"failed", 3}, {"passed", 1}, {"first", to_line(parse_case("convert n=8"))}, {"failure", "out[0, 0] is 1"}}}));
  const std::string text = to_text(report, false);
  for (const char* part : {"known 3", "known  exact.convert: rounds \"up\" (https://example.org/7)", "3 cases fail and 1 pass", "0 failed, 1 known to fail"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(Json, HoldsTheMeanDriftWhereTheLawThatAsksForItRan) {
  properties::Cell drifting{.subject = "fp8_scaled_gemm", .law = "drifts", .cases = 1}, conforming = drifting;
  drifting.verdict.drift = conforming.verdict.drift = {.elements = 4, .seen = 6, .expected = 8};
  conforming.law = "conforms";
  const Report report = with_cells({drifting, conforming});
  const json cells = json::parse(to_json(report))["cells"];
  EXPECT_EQ(cells[0]["drift"], (json{{"elements", 4.0}, {"seen", 1.5}, {"expected", 2.0}}));
  EXPECT_FALSE(cells[1].contains("drift"));
  const std::string line = "\nfp8_scaled_gemm    1.5     2       -    -     -    -     -      -     -        -     -       -   -\n", text = to_text(report, false);
  EXPECT_NE(text.find(line), std::string::npos) << text;
}

TEST(Json, HoldsMeansAndRoundingsWhereTheLawsThatAskForThemRan) {
  properties::Cell mean{.subject = "bf16_gemm", .law = "unbiased", .cases = 1}, rounding = mean, conforming = mean;
  mean.verdict.residuals = {.elements = 4, .size = 8, .seen = 0.5};
  rounding.verdict.roundings = {.codes = {8, 3, 4}, .decided = {5, 0, 0.5}, .square = 1, .predicted = 4, .steps = 16};
  rounding.law = "rounds", conforming.law = "conforms";
  conforming.verdict.residuals = mean.verdict.residuals, conforming.verdict.roundings = rounding.verdict.roundings;
  const Report report = with_cells({mean, rounding, conforming});
  const json cells = json::parse(to_json(report))["cells"];
  EXPECT_EQ(cells[0]["mean"]["seen"], 0.0625);
  EXPECT_EQ(cells[1]["roundings"]["rms"], 0.25);
  EXPECT_EQ(cells[1]["roundings"]["rms_predicted"], 0.5);
  EXPECT_EQ(cells[1]["roundings"]["off"], (json{{"of", 8.0}, {"seen", 3.0}, {"expected", 4.0}}));
  EXPECT_FALSE(cells[2].contains("mean") || cells[2].contains("roundings"));
  const std::string text = to_text(report, false);
  EXPECT_NE(text.find("\nbf16_gemm      -     -     6.2    0     0  0.25   0.5     38    50        0    10       -   8\n"), std::string::npos) << text;
  size_t widest = 0;
  for (size_t at = text.find("\nsubject  ", 1), end; at < text.size(); at = end) end = std::min(text.find('\n', at + 1), text.size()), widest = std::max(widest, end - at - 1);
  EXPECT_LE(widest, 142u) << text;
}

TEST(Json, HoldsWhatStandInsWouldHaveBeenToldAndTheTextWhatNoneCouldShow) {
  properties::Cell cell{.subject = "fp8_quant_static", .law = "conforms", .cases = 1};
  cell.verdict.tally.judged = 8;
  cell.verdict.tally[StandIn::zeros] = {.differ = 7, .legal = 2};
  const json stand_ins = json::parse(to_json(with_cells({cell})))["cells"][0]["elements"]["stand_ins"];
  EXPECT_EQ(stand_ins["zeros"], (json{{"differ", 7}, {"legal", 2}}));
  EXPECT_EQ(stand_ins["times_1.001"], (json{{"differ", 0}, {"legal", 0}}));
  const std::string line = "\n0.1 % is not seen, since it changes no result:\n  fp8_quant_static\n";
  EXPECT_NE(to_text(with_cells({cell}), false).find(line), std::string::npos);
  cell.verdict.tally[StandIn::times_1_001].differ = 1;
  EXPECT_EQ(to_text(with_cells({cell}), false).find("0.1 %"), std::string::npos);
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
