#include <gtest/gtest.h>

#include "properties/accept_rules.hpp"
#include "tools/report/report.hpp"
#include "tools/report/test_xml.hpp"

namespace assay::report {
namespace {

using namespace properties;

bool holds(const std::string& page, std::string_view part) { return page.find(part) != std::string::npos; }

Cell failing(const std::string& word) {
  Cell c{.subject = word, .law = "conforms", .verdict = failed(word), .cases = 3};
  c.verdict.tally.judged = 40, c.verdict.tally.single_legal = 30;
  c.verdict.shares = {.none = 12345, .tenths = {7}, .beyond = 3};
  c.smallest = {.problem = parse_case("silu_and_mul rows=2"), .subject = "silu_and_mul", .law = "conforms"};
  c.first_failing = word, c.skip_reasons = {word}, c.skipped = 1;
  c.untrusted = 1, c.untrusted_case = c.untrusted_reason = word;
  c.known = {{.entry = {.reason = word, .link = word, .place = word},
              .failed = 2,
              .passed = 1,
              .first = parse_case("convert n=8"),
              .failure = word}};
  return c;
}

/// Every kind of thing that a portrait can hold, `word` wherever a word can stand.
Portrait whole(const std::string& word) {
  StepLook step{.step = word,
                .tensor = word,
                .shares = {.none = 5, .tenths = {1, 2}, .beyond = 1},
                .whole = {.none = 4, .tenths = {3}, .beyond = 2},
                .looked_at = 9,
                .wrong = 1};
  Bound bound;
  bound[Term::accumulate] = 0.03125, bound[Term::underflow] = 0.0625;
  step.worst = {{.place = word, .found = word, .legal = word, .exact = 1.5, .bound = bound, .share = 2.25, .right = false}};
  step.map = {.tensor = word,
              .rows = 3,
              .columns = 3,
              .looked_at = 9,
              .wrong = 1,
              .grid_rows = 3,
              .grid_columns = 3,
              .cells = {0, 0, 1, 0, -1, 0, 0, 0, 0},
              .axes = {{.name = word, .length = 3, .hit = 1, .which = word, .shares = {0, 0, 0.25}}}};
  Portrait p{.subject = word, .contract = word, .summary = word, .formula = word, .arithmetic = word};
  p.looks = {{.line = word, .why = word, .sampled = true, .steps = {step}, .accepted = std::vector<bool>(accept_rules().size(), true)},
             {.line = word, .why = word, .error = word}};
  p.ladder.rungs = {{.k = 128,
                     .line = word,
                     .elements = 512,
                     .off = 20,
                     .error = 1e-3,
                     .expected = 1.25e-3,
                     .before = 2e-4,
                     .before_expected = 3e-4,
                     .bound = 1e-2},
                    {.k = 256,
                     .line = word,
                     .elements = 512,
                     .off = 5,
                     .error = 2e-3,
                     .expected = NAN,
                     .before = 0,
                     .before_expected = NAN,
                     .bound = 2e-2,
                     .conforms = false}};
  p.ladder.error = Slope{1.0, 0.125}, p.ladder.bound = Slope{0.75, 0.25};
  p.tolerances_of = word;
  Allowance allowance{.median = 1.5e-5, .largest = 2.5e-5, .dominant = Term::accumulate, .rtol = 0.0039, .atol = 0.0625};
  p.tolerances = {{.contract = word, .step = word, .subjects = word, .k = 77, .normal = allowance, .sqrt_k = allowance}};
  return p;
}

Report report_of(const std::string& word) {
  return {.suite = word,
          .seed = 4711,
          .schedule = 12,
          .drawn_cases = 17,
          .backend = word,
          .device = {.name = word, .toolkit = word, .compute_capability = 90, .multiprocessors = 132, .driver_version = 13010},
          .seconds = 1.25,
          .cells = {failing(word), {.subject = word, .law = "exact", .verdict = skipped(word), .skipped = 1}},
          .notes = {word},
          .portraits = {whole(word)},
          .version = word,
          .image = word};
}

TEST(Html, IsWellFormedAndHarmlessWhateverNamesSay) {
  const std::string page = to_html(report_of(kNasty));
  EXPECT_EQ(html_fault(page), "");
  EXPECT_FALSE(holds(page, "<script"));
  EXPECT_TRUE(holds(page, "&lt;script&gt;alert(1)&lt;/script&gt;"));
}

TEST(Html, FetchesNothing) {
  const std::string page = to_html(report_of("word"));
  for (const char* part : {"http:", "https:", "src=", "@import", "url(", "<link", "<script"}) EXPECT_FALSE(holds(page, part)) << part;
}

TEST(Html, SaysTheVerdictBeforeAnythingElse) {
  const std::string page = to_html(report_of("word"));
  const size_t verdict = page.find("Fail: 1 of 2 checks");
  ASSERT_NE(verdict, std::string::npos);
  EXPECT_LT(verdict, page.find("<h2>"));
}

TEST(Html, ShowsWhatTheDataHold) {
  const std::string page = to_html(report_of("word"));
  for (const char* part : {"title=\"FAIL at 2\">FAIL<", "75.0000 %", "beyond: 3<", ">2.25<", "0.0312", "0.0625", "4711, 12",
                           "17 for each subject", "compute capability 9.0, 132 multiprocessors", "13010", "1.2 s", "vLLM mean 0.04",
                           "accepts", "0.00125", "0.0039, 0.062", ">1.00<", ">0.12<", ">77<", "DERIVATIONS.md"})
    EXPECT_TRUE(holds(page, part)) << part;
  EXPECT_TRUE(holds(page, "assay repro 'silu_and_mul rows=2"));
  EXPECT_TRUE(holds(page, "--image word"));
  EXPECT_TRUE(holds(page, "11 of 11 rules would have let the wrong outputs of case 1 pass."));
  EXPECT_TRUE(holds(page, std::string(derivation(Term::accumulate)).substr(0, 30)));
}

TEST(Html, ShowsRunsInWhichNothingWasChecked) {
  for (const Report& r : {Report{}, Report{.cells = {{.subject = "convert", .law = "exact", .verdict = skipped("no GPU")}}}}) {
    const std::string page = to_html(r);
    EXPECT_EQ(html_fault(page), "");
    EXPECT_TRUE(holds(page, "Unchecked: nothing was checked"));
  }
}

TEST(Html, IsTheSameForTheSameData) {
  Report r = report_of("word");
  const std::string page = to_html(r);
  EXPECT_EQ(to_html(r), page);
  r.seconds = 77;
  const std::string later = to_html(r);
  EXPECT_EQ(later.substr(0, later.find("id=\"environment\"")), page.substr(0, page.find("id=\"environment\"")));
}

}  // namespace
}  // namespace assay::report
