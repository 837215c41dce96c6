// JUnit XML as Jenkins, GitLab and GitHub read it: a test suite per subject, a test case per law.
#include <fmt/format.h>

#include "tools/report/markup.hpp"
#include "tools/report/places.hpp"
#include "tools/report/report.hpp"

namespace assay::report {
namespace {

using properties::Cell;

std::string test_case(const Cell& c) {
  std::string out = fmt::format("    <testcase classname=\"assay.{}\" name=\"{}\"", c.subject, c.law);
  switch (c.verdict.outcome) {
    case Outcome::pass: return out + "/>\n";
    case Outcome::fail:
      return out + fmt::format("><failure message=\"{}\">{}</failure></testcase>\n", escaped(c.verdict.reason), escaped(command_again(c, "")));
    case Outcome::untrusted: return out + fmt::format("><skipped message=\"untrusted: {}\"/></testcase>\n", escaped(c.verdict.reason));
    case Outcome::known:
      return out + fmt::format("><skipped message=\"known failure: {} ({})\"/></testcase>\n", escaped(c.verdict.reason),
                               escaped(c.known.empty() ? "" : c.known.front().entry.link));
    case Outcome::skip: return out + fmt::format("><skipped message=\"{}\"/></testcase>\n", escaped(c.verdict.reason));
  }
  return out;
}

}  // namespace

std::string to_junit(const Report& r) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"assay\">\n";
  for (size_t first = 0; first < r.cells.size();) {
    size_t end = first, failures = 0, skipped = 0;
    std::string cases;
    for (; end < r.cells.size() && r.cells[end].subject == r.cells[first].subject; end++) {
      cases += test_case(r.cells[end]);
      failures += r.cells[end].verdict.outcome == Outcome::fail;
      skipped += r.cells[end].verdict.outcome != Outcome::pass && r.cells[end].verdict.outcome != Outcome::fail;
    }
    out += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n{}  </testsuite>\n", r.cells[first].subject, end - first,
                       failures, skipped, cases);
    first = end;
  }
  return out + "</testsuites>\n";
}

}  // namespace assay::report
