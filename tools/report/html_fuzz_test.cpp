#include <gtest/gtest.h>

#include "tools/report/fuzz.hpp"
#include "tools/report/test_xml.hpp"

namespace assay::report {
namespace {

/// A finding with everything that one can hold, `word` wherever a word can stand.
FuzzReport with_a_finding(const std::string& word) {
  const Reproducer smallest{.problem = parse_case("silu_and_mul rows=1 d=1 fill=exact"), .subject = "silu_and_mul", .law = "guarded"};
  properties::Finding f{.subject = word,
                        .laws = {{word, 3, word, smallest, word}, {"exact", 2, word, smallest, word}},
                        .region = {{word, {word}, {}}, {"d", {"odd"}, {"2^n", word}}},
                        .cases = 3,
                        .shrunk = false,
                        .contents_reason = word};
  FuzzReport r{.seed = 4711, .backend = word, .jobs = 2, .journal = word, .image = word};
  r.fuzzed = {.contract = word,
              .subjects = {{.subject = word,
                            .cases = 10,
                            .failing = 3,
                            .regions = {{word, word, 77, 3, 0.5, word}, {"d", "8n"}},
                            .pairs = 7,
                            .codes = {{word, std::vector<bool>{true, false, true, true}}},
                            .shares = {.none = 8, .beyond = 3}}},
              .cells = {{.subject = word, .law = word, .verdict = failed(word), .cases = 10, .smallest = smallest, .first_failing = word}},
              .findings = {f},
              .cases = 10,
              .seconds = 2};
  r.files = {word};
  return r;
}

TEST(HtmlOfFuzzing, IsWellFormedAndHarmlessWhateverNamesSay) {
  const std::string page = to_html(with_a_finding(kNasty));
  EXPECT_EQ(html_fault(page), "");
  EXPECT_EQ(page.find("<script"), std::string::npos);
}

TEST(HtmlOfFuzzing, ShowsFindingsAndCoverage) {
  const std::string page = to_html(with_a_finding("word"));
  for (const char* part : {"Fail: 1 finding of word, in 3 of 10 cases", "FAIL</span>  word.word, 3 cases", "Where: d: odd", "assay repro 'silu_and_mul rows=1 d=1 fill=exact",
                           "law=guarded backend=emu' --image word</pre>", "assay repro word --image word", "2^n, word", ">77<", "not tried", "0.500", "1 of 2 regions met, 7 pairs of regions",
                           "beyond: 3<", ">4711<", "2.0 s with 2 jobs", "time was out"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
}

TEST(HtmlOfFuzzing, OfARunWithoutAnythingIsAPageToo) {
  const std::string page = to_html(FuzzReport{});
  EXPECT_EQ(html_fault(page), "");
  EXPECT_NE(page.find("Unchecked: "), std::string::npos);
}

}  // namespace
}  // namespace assay::report
