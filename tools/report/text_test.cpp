// What is printed stays short however much fails.
#include <gtest/gtest.h>

#include <algorithm>

#include "tools/report/report.hpp"

namespace assay::report {
namespace {

properties::Cell failing(int subject, int law, const std::string& reason) {
  const std::string s = "subject_" + std::to_string(subject), l = "law_" + std::to_string(law);
  properties::Cell c{.subject = s, .law = l, .verdict = failed(reason), .cases = 3};
  c.smallest = {.problem = parse_case("convert n=1"), .subject = s, .law = l};
  c.first_failing = "convert n=8";
  return c;
}

std::string text_of(int subjects, int laws, const std::string& reason) {
  Report report{.suite = "smoke", .backend = "emu", .cells = {}};
  for (int s = 0; s < subjects; s++)
    for (int l = 0; l < laws; l++) report.cells.push_back(failing(s, l, reason));
  return to_text(report, false);
}

TEST(Text, TellsOfTwentyFailuresInFullAndCountsTheOthers) {
  const std::string text = text_of(10, 3, "out[0, 0] is 1");
  size_t blocks = 0;
  for (size_t at = 0; (at = text.find("\n  assay repro '", at)) != text.npos; at++) blocks++;
  EXPECT_EQ(blocks, 20u);
  EXPECT_NE(
      text.find("\nFAIL  10 more, in full in the report of --json; by law: law_2 4 law_0 3 law_1 3; by subject: subject_6 1 subject_7 3 "
                "subject_8 3 subject_9 3\n"),
      text.npos)
      << text;
  EXPECT_EQ(text_of(6, 3, "x").find("more, in full"), text.npos);
}

TEST(Text, GrowsByTheMatrixAlone) {
  const std::string long_reason(4000, 'x');
  const size_t few = text_of(100, 5, long_reason).size(), many = text_of(400, 5, long_reason).size();
  const size_t row = std::string("subject_100").size() + 2 + 5 * 14 + 40;
  EXPECT_LT(many, few + 300 * row);
  EXPECT_LT(few, 100 * row + 20 * 1000 + 4000);
}

TEST(Text, ReasonsForSkippingAreCountedBeyondTheFirst) {
  properties::Cell cell{.subject = "s", .law = "l"};
  for (int i = 0; i < 1000; i++) add(cell, parse_case("convert n=1"), skipped("d is " + std::to_string(i)));
  EXPECT_EQ(cell.skip_reasons.size(), properties::kSkipReasons);
  EXPECT_EQ(cell.other_reasons, 1000 - int(properties::kSkipReasons));
  const Report report{.suite = "smoke", .backend = "emu", .cells = {cell}};
  EXPECT_NE(to_text(report, false).find("skip: for other reasons than these\n  l.s\n"), std::string::npos) << to_text(report, false);
  EXPECT_NE(to_json(report).find("\"cases_for_other_reasons\": 992"), std::string::npos);
}

}  // namespace
}  // namespace assay::report
