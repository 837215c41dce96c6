#include <gtest/gtest.h>

#include <stack>

#include "tools/report/report.hpp"

namespace assay::report {
namespace {

/// A walk over XML as strict as this test needs: tags nest, attributes are quoted, and every & begins a known entity.
class Xml {
 public:
  explicit Xml(std::string_view all) : text(all) {}

  /// Empty, or what is wrong.
  std::string fault() {
    if (!take("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")) return "no declaration";
    while (at < text.size()) {
      if (std::string why = text[at] == '<' ? tag() : character(); !why.empty()) return why + " at byte " + std::to_string(at);
    }
    return open.empty() && roots == 1 ? "" : "an element is not closed, or there is more than one root";
  }

 private:
  std::string_view text;
  size_t at = 0;
  int roots = 0;
  std::stack<std::string> open;

  bool take(std::string_view expected) {
    if (!text.substr(at).starts_with(expected)) return false;
    at += expected.size();
    return true;
  }

  std::string name() {
    const size_t first = at;
    while (at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_')) at++;
    return std::string(text.substr(first, at - first));
  }

  std::string character() {
    const auto c = static_cast<unsigned char>(text[at]);
    if ((c < ' ' && c != '\n') || c > '~') return "a character that XML or ASCII lacks";
    if (c == '<') return "a bare <";
    if (open.empty() && c != '\n') return "text outside the root";
    for (const char* entity : {"&amp;", "&lt;", "&gt;", "&quot;"})
      if (take(entity)) return "";
    return c == '&' ? "a bare &" : (at++, "");
  }

  std::string attribute() {
    if (name().empty() || !take("=\"")) return "no attribute";
    while (at < text.size() && text[at] != '"')
      if (std::string why = text[at] == '\n' ? "a line end in an attribute" : character(); !why.empty()) return why;
    return take("\"") ? "" : "an attribute without an end";
  }

  std::string tag() {
    if (take("</")) {
      if (open.empty() || name() != open.top() || !take(">")) return "a wrong end tag";
      return open.pop(), "";
    }
    take("<");
    roots += open.empty();
    open.push(name());
    while (take(" "))
      if (std::string why = attribute(); !why.empty()) return why;
    if (take("/>")) return open.pop(), "";
    return take(">") ? "" : "a tag without an end";
  }
};

std::string fault(const std::string& xml) { return Xml(xml).fault(); }

Report nasty() {
  const std::string reason = "a < b && c > \"d\" 'e'\n\t\x01\x1b[31m caf\xc3\xa9 \xff ]]> <!-- & &amp;";
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

TEST(JUnit, IsWellFormedWhateverTheReasonsSay) { EXPECT_EQ(fault(to_junit(nasty())), "") << to_junit(nasty()); }

TEST(JUnit, IsWellFormedWithoutCells) { EXPECT_EQ(fault(to_junit({})), ""); }

TEST(JUnit, CountsWhatEachSubjectHas) {
  const std::string xml = to_junit(nasty());
  EXPECT_NE(xml.find("<testsuite name=\"silu_and_mul\" tests=\"3\" failures=\"1\" skipped=\"1\">"), std::string::npos) << xml;
  EXPECT_NE(xml.find("<testsuite name=\"convert\" tests=\"2\" failures=\"0\" skipped=\"2\">"), std::string::npos) << xml;
  EXPECT_NE(xml.find("<skipped message=\"known failure: "), std::string::npos) << xml;
  EXPECT_NE(xml.find("(https://example.org/?a=1&amp;b=&lt;2&gt;)\"/>"), std::string::npos) << xml;
}

TEST(JUnit, TheWalkFindsFaults) {
  const std::string head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  EXPECT_EQ(fault(head + "<a b=\"c\"><d/>&lt;</a>\n"), "");
  for (const char* bad :
       {"", "<a>", "<a></b>", "<a b=c/>", "<a b=\"<\"/>", "<a>&</a>", "<a/><b/>", "<a b=\"\n\"/>", "<a/>x", "<a>\x01</a>"})
    EXPECT_NE(fault(head + bad), "") << bad;
}

}  // namespace
}  // namespace assay::report
