#include <gtest/gtest.h>

#include "tools/report/report.hpp"
#include "tools/report/test_xml.hpp"

namespace assay::report {
namespace {

Report nasty() {
  const std::string reason = kNasty;
  properties::Cell fails{.subject = "silu_and_mul",
                         .law = "conforms",
                         .verdict = failed(reason),
                         .cases = 1,
                         .smallest = {.problem = parse_case("silu_and_mul rows=2"), .subject = "silu_and_mul", .law = "conforms"}};
  properties::Cell known{.subject = "convert", .law = "exact", .verdict = failed(reason)};
  known.verdict.outcome = Outcome::known;
  known.known = {{.entry = {.reason = reason, .link = "https://example.org/?a=1&b=<2>"}, .failed = 1}};
  return {.cells = {fails,
                    {.subject = "silu_and_mul", .law = "exact", .verdict = skipped(reason)},
                    {.subject = "silu_and_mul", .law = "repeats"},
                    {.subject = "convert", .law = "guarded", .verdict = untrusted(reason)},
                    known}};
}

TEST(JUnit, IsWellFormedWhateverTheReasonsSay) { EXPECT_EQ(xml_fault(to_junit(nasty())), "") << to_junit(nasty()); }

TEST(JUnit, IsWellFormedWithoutCells) { EXPECT_EQ(xml_fault(to_junit({})), ""); }

TEST(JUnit, CountsWhatEachSubjectHas) {
  const std::string xml = to_junit(nasty());
  EXPECT_NE(xml.find("<testsuite name=\"silu_and_mul\" tests=\"3\" failures=\"1\" skipped=\"1\">"), std::string::npos) << xml;
  EXPECT_NE(xml.find("<testsuite name=\"convert\" tests=\"2\" failures=\"0\" skipped=\"2\">"), std::string::npos) << xml;
  EXPECT_NE(xml.find("<skipped message=\"known failure: "), std::string::npos) << xml;
  EXPECT_NE(xml.find("(https://example.org/?a=1&amp;b=&lt;2&gt;)\"/>"), std::string::npos) << xml;
}

TEST(JUnit, TheWalkFindsFaults) {
  const std::string head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  EXPECT_EQ(xml_fault(head + "<a b=\"c\"><d/>&lt;</a>\n"), "");
  for (const char* bad :
       {"", "<a>", "<a></b>", "<a b=c/>", "<a b=\"<\"/>", "<a>&</a>", "<a/><b/>", "<a b=\"\n\"/>", "<a/>x", "<a>\x01</a>"})
    EXPECT_NE(xml_fault(head + bad), "") << bad;
}

}  // namespace
}  // namespace assay::report
