// The ledger of known failures: what it forgives, what it accuses, and how it is read.
#include "properties/ledger.hpp"

#include <gtest/gtest.h>

#include "properties/check.hpp"

namespace assay::properties {
namespace {

/// Two cases of which the second fails: its one row is left as it was.
Subject fails_on_one_row() {
  Subject subject = *find<Subject>("silu_and_mul");
  subject.launch = [right = subject.launch](const Image& image, const Parameters& p, const Operands& at) {
    return p.whole("rows") == 1 ? 0 : right(image, p, at);
  };
  return subject;
}

const std::string kOneRow = "silu_and_mul rows=1 d=64 fill=normal seed=1\n", kManyRows = "silu_and_mul rows=9 d=64 fill=normal seed=1\n";

Ledger ledger(const std::string& rest, const std::string& subject = "silu_and_mul", const std::string& law = "conforms") {
  return parse_ledger("known.toml", "[[failure]]\nsubject = \"" + subject + "\"\nlaw = \"" + law +
                                        "\"\nreason = \"one row\"\nlink = \"https://example.org/7\"\n" + rest);
}

Cell cell(const Subject& subject, const std::string& cases, const Ledger& known) {
  const Plan plan{.suite = parse_suite("made up", "budget=1e9\n" + cases),
                  .subjects = {&subject},
                  .laws = {find<Law>("conforms")},
                  .seconds_to_shrink = 2,
                  .ledger = known};
  return check(plan, {.workers = 1}).front();
}

TEST(Ledger, AFailureThatItKnowsIsNotOne) {
  const Cell known = cell(fails_on_one_row(), kManyRows + kOneRow, ledger("case = \"*rows=1 *\"\n"));
  EXPECT_EQ(known.verdict.outcome, Outcome::known);
  EXPECT_EQ(known.cases, 1);
  ASSERT_EQ(known.known.size(), 1u);
  EXPECT_EQ(known.known[0].failed, 1);
  EXPECT_EQ(known.known[0].passed, 0);
  EXPECT_EQ(to_line(known.known[0].first) + "\n", kOneRow);
  EXPECT_NE(known.known[0].failure.find("out[0, "), std::string::npos) << known.known[0].failure;
}

TEST(Ledger, KnownFailuresAloneAreKnownToo) { EXPECT_EQ(cell(fails_on_one_row(), kOneRow, ledger("")).verdict.outcome, Outcome::known); }

TEST(Ledger, AnyOtherFailureStillIsOne) {
  const Subject subject = fails_on_one_row();
  for (const Ledger& other : {Ledger{}, ledger("case = \"*rows=2 *\"\n"), ledger("backend = \"cuda\"\n"), ledger("", "silu_and_mul_*"),
                              ledger("", "silu_and_mul", "exact")}) {
    const Cell failing = cell(subject, kManyRows + kOneRow, other);
    EXPECT_EQ(failing.verdict.outcome, Outcome::fail);
    EXPECT_EQ(failing.smallest.problem.parameters.whole("rows"), 1);
    EXPECT_TRUE(failing.known.empty());
  }
}

TEST(Ledger, AFailureThatNoLongerHappensIsAFailure) {
  const Cell right = cell(*find<Subject>("silu_and_mul"), kManyRows + kOneRow, ledger("case = \"*rows=1 *\"\n"));
  EXPECT_EQ(right.verdict.outcome, Outcome::fail);
  EXPECT_EQ(right.verdict.reason,
            "unexpected pass: ledger known.toml, line 1: 'one row' is said to fail, and passed on all of 1 cases: "
            "take the entry out (https://example.org/7)");
  EXPECT_EQ(to_line(right.smallest.problem) + "\n", kOneRow);
}

TEST(Ledger, AnEntryWhoseCasesDidNotRunIsNoFailure) {
  EXPECT_EQ(cell(*find<Subject>("silu_and_mul"), kManyRows, ledger("case = \"*rows=1 *\"\n")).verdict.outcome, Outcome::pass);
}

TEST(Ledger, ShrinkingDoesNotEndInAFailureThatIsKnown) {
  Subject subject = *find<Subject>("silu_and_mul");
  subject.launch = [](const Image&, const Parameters&, const Operands&) { return 0; };  // writes nothing
  const Cell failing = cell(subject, kManyRows, ledger("case = \"*rows=1 *\"\n"));
  EXPECT_EQ(failing.verdict.outcome, Outcome::fail);
  EXPECT_EQ(failing.smallest.problem.parameters.whole("rows"), 2);
}

// ---- as a file

std::string complaint(const std::string& text) {
  try {
    parse_ledger("known.toml", text);
    return "none";
  } catch (const BadInput& e) {
    return e.what();
  }
}

TEST(Ledger, BadInputGetsOneLineThatNamesThePlace) {
  const std::string good = "[[failure]]\nsubject = \"silu_and_mul\"\nlaw = \"conforms\"\nreason = \"r\"\nlink = \"https://example.org\"\n";
  EXPECT_EQ(complaint(good), "none");
  EXPECT_EQ(complaint(""), "none");
  const std::pair<std::string, std::string> files[] = {
      {"[[failure]\n", "ledger known.toml, line 1: "},
      {"failure = 3\n", "ledger known.toml, line 1: 'failure': want [[failure]]"},
      {"[[failures]]\n", "ledger known.toml, line 1: 'failures': want [[failure]]"},
      {"\n[[failure]]\n", "ledger known.toml, line 2: needs a text 'subject'"},
      {good + "since = 3\n", "ledger known.toml, line 1: unknown key 'since': want subject, law, backend, case, reason, link"},
      {good + "backend = \"gpu\"\n", "ledger known.toml, line 1: unknown backend 'gpu': want emu, checked or cuda"},
      {good + "case = \"\"\n", "ledger known.toml, line 1: needs a text 'case'"},
      {good + "\n[[failure]]\nsubject = \"silu*\"\nlaw = \"confirms\"\nreason = \"r\"\nlink = \"https://example.org\"\n",
       "ledger known.toml, line 7: is stale: there is no law 'confirms'"},
      {"[[failure]]\nsubject = \"swish\"\nlaw = \"*\"\nreason = \"r\"\nlink = \"https://example.org\"\n",
       "ledger known.toml, line 1: is stale: there is no subject 'swish'"},
      {"[[failure]]\nsubject = \"*\"\nlaw = \"*\"\nreason = \"r\"\nlink = \"later\"\n",
       "ledger known.toml, line 1: link 'later' is no URL"},
      {"[[failure]]\nsubject = \"*\"\nlaw = \"*\"\nlink = \"https://example.org\"\n", "ledger known.toml, line 1: needs a text 'reason'"},
  };
  for (const auto& [text, want] : files) {
    const std::string found = complaint(text);
    EXPECT_TRUE(found.starts_with(want)) << text << found;
    EXPECT_EQ(found.find('\n'), found.npos) << found;
  }
}

TEST(Ledger, LettersBeyondAsciiStandInTextsAndCommentsAlone) {
  const std::string entry =
      "[[failure]]  # \u00fc\nsubject = \"silu_and_mul\"\nlaw = 'conforms'\nreason = \"\"\"\u00fc \\\" ' \n # \u00fc\"\"\"\nlink = 'https://example.org/\u00fc'\n";
  EXPECT_EQ(parse_ledger("l", entry).size(), 1u);
  for (const std::string& outside : {entry + "x = \u00fc", entry + "\u00fc = 1", entry + "x = 1 \u00fc"}) {
    std::string why;
    try {
      parse_ledger("l", outside);
    } catch (const BadInput& e) {
      why = e.what();
    }
    EXPECT_EQ(why, "ledger l, line 7: a letter beyond ASCII outside of texts and comments");
  }
}

TEST(Ledger, TheCommittedOneIsReadable) { EXPECT_NO_THROW(committed_ledger()); }

}  // namespace
}  // namespace assay::properties
