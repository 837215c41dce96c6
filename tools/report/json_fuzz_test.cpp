#include "tools/report/fuzz.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace assay::report {
namespace {

using nlohmann::json;

FuzzReport with_a_finding() {
  const Reproducer smallest{.problem = parse_case("silu_and_mul rows=1 d=1 fill=exact"), .subject = "silu_and_mul", .law = "conforms"};
  properties::Finding f{
      .subject = "silu_and_mul",
      .laws = {{"conforms", 3, "silu_and_mul rows=9 d=11 fill=normal seed=4", smallest, "out[0, 0] is 1"}},
      .region = {{"rows", {"1", "2..7"}, {}}, {"d", {"odd"}, {"2^n", "8n"}}, {"fill", {"exact", "normal", "huge"}, {"tiny"}}},
      .cases = 3};
  FuzzReport r{.seed = 5, .backend = "emu", .jobs = 2, .image = "changed"};
  r.fuzzed = {.contract = "silu_and_mul",
              .subjects = {{.subject = "silu_and_mul",
                            .cases = 10,
                            .failing = 3,
                            .regions = {{"d", "odd", 3, 3, 0.5, "line"}, {"d", "8n"}},
                            .pairs = 7,
                            .codes = {{"w (int4)", std::vector<bool>{true, false, true, true}}}}},
              .cells = {{.subject = "silu_and_mul",
                         .law = "conforms",
                         .verdict = failed("out[0, 0] is 1"),
                         .cases = 10,
                         .smallest = smallest,
                         .first_failing = "line"}},
              .findings = {f},
              .cases = 10,
              .seconds = 2};
  r.files = {"out/silu.h5"};
  return r;
}

TEST(FuzzText, BeginsWithTheVerdictAndSaysWhereAndHow) {
  const std::string text = to_text(with_a_finding(), false);
  EXPECT_TRUE(text.starts_with("FAIL  silu_and_mul: 1 finding; 3 of 10 cases fail\n")) << text;
  for (const char* part :
       {"FAIL  conforms.silu_and_mul  finding 1, 3 cases\n  out[0, 0] is 1\n", "  where: d: odd; fill: any but tiny\n",
        "  first seen with: silu_and_mul rows=9 d=11 fill=normal seed=4\n",
        "  assay repro 'silu_and_mul rows=1 d=1 fill=exact seed=0 subject=silu_and_mul law=conforms backend=emu' --image changed\n",
        "  assay repro out/silu.h5 --image changed\n", "1 of 2 regions, 7 pairs of regions, 3 of 4 codes of w (int4)\n",
        "  not tried: d=8n\n", "10 cases, 2.0 s, 5 cases/s with 2 jobs on emu, seed 5\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(FuzzText, SaysWhereTimeRanOutBeforeItWasKnownWhereAFindingFails) {
  properties::Finding f = with_a_finding().fuzzed.findings[0];
  f.explored = false;
  EXPECT_EQ(region_text(f), "d: odd; fill: any but tiny; the rest not explored, time ran out");
  f.region.clear();
  EXPECT_EQ(region_text(f), "not explored, time ran out");
  f.explored = true;
  EXPECT_EQ(region_text(f), "everywhere");
}

TEST(FuzzText, WithoutAFailureOrWithoutAnything) {
  FuzzReport r = with_a_finding();
  r.fuzzed.findings.clear(), r.fuzzed.cells[0].verdict = Verdict{};
  EXPECT_TRUE(to_text(r, false).starts_with("PASS  silu_and_mul: no failure in 10 cases\n"));
  r.fuzzed.cells[0].verdict = skipped("no GPU");
  EXPECT_TRUE(to_text(r, false).starts_with("UNCHECKED  silu_and_mul: "));
}

TEST(FuzzJson, HoldsFindingsRegionsCodesAndCells) {
  const json j = json::parse(to_json(with_a_finding()));
  EXPECT_EQ(j["exit_code"], 1);
  EXPECT_EQ(j["findings"][0]["laws"][0]["reproducer"],
            "silu_and_mul rows=1 d=1 fill=exact seed=0 subject=silu_and_mul law=conforms backend=emu");
  EXPECT_EQ(j["findings"][0]["contents"], "out/silu.h5");
  EXPECT_EQ(j["findings"][0]["region"][1]["passing"], (std::vector<std::string>{"2^n", "8n"}));
  EXPECT_EQ(j["subjects"][0]["codes"][0]["unseen"], (std::vector<int>{1}));
  EXPECT_EQ(j["subjects"][0]["regions"][0]["worst_share"], 0.5);
  EXPECT_EQ(j["cells"][0]["outcome"], "FAIL");
}

}  // namespace
}  // namespace assay::report
