#include "properties/check/checker.hpp"

#include <gtest/gtest.h>

namespace assay::properties {
namespace {

const Case kCase = parse_case("silu_and_mul rows=2 d=8 fill=normal seed=1");
const std::string kTask = case_task("silu_and_mul", {"repeats", "conforms", "guarded"}, kCase);

/// "pass" and so on by law, and what died.
std::string told(const Tasks::Outcome& outcome) {
  CaseSheet sheet;
  read_case(sheet, outcome.text);
  std::string text;
  for (const LawVerdict& l : sheet.laws)
    text += l.law + " " + std::string(name(l.verdict.outcome)) + (sheet.died.contains(l.law) ? " died; " : "; ");
  return text + "left: " + outcome.rest;
}

TEST(Checker, BlamesTheLawAtWhichAProcessDiedAndLeavesTheOthers) {
  const std::string repeats = to_text({"repeats", Verdict{}});
  Reply death{.text = "the process died: Killed", .died = true, .said = {"law conforms", "law repeats", "law guarded"}};
  EXPECT_EQ(told(checkers_outcome(kTask, death)), "conforms FAIL died; left: check silu_and_mul repeats,guarded " + to_line(kCase));
  death.said.push_back(to_text({"conforms", Verdict{}}));
  EXPECT_EQ(told(checkers_outcome(kTask, death)), "conforms pass; repeats FAIL died; left: check silu_and_mul guarded " + to_line(kCase));
  death.said.push_back(repeats);
  EXPECT_EQ(told(checkers_outcome(kTask, death)), "conforms pass; repeats pass; guarded FAIL died; left: ");
  death.said.clear();  // it died before it was known which laws apply
  EXPECT_EQ(told(checkers_outcome(kTask, death)), "conforms FAIL died; left: check silu_and_mul repeats,guarded " + to_line(kCase));
}

/// As on a GPU that a kernel left broken: its process says so and ends.
TEST(Checker, AsksWhatAnAnswerLeavesInAnotherProcess) {
  const std::string failing = to_text({"conforms", failed("an illegal memory access was encountered")});
  const Tasks::Outcome some = checkers_outcome(kTask, {.text = failing + "\tl repeats,guarded"});
  EXPECT_EQ(told(some), "conforms FAIL; left: check silu_and_mul repeats,guarded " + to_line(kCase));
  const Tasks::Outcome all = checkers_outcome(kTask, {.text = failing});
  EXPECT_EQ(told(all), "conforms FAIL; left: ");
}

TEST(Checker, NamesTheCaseAtWhichASubjectDiedWhenItWasAskedForCases) {
  const Reply death{.text = "the process died: Aborted", .died = true, .said = {to_line(kCase), "silu_and_mul rows=9"}};
  const Opening opening = opening_of(*find<Subject>("silu_and_mul"), checkers_outcome(opening_task("silu_and_mul"), death).text);
  EXPECT_EQ(opening.sheet.death, "the process died: Aborted, when it was asked whether it takes the case");
  EXPECT_EQ(opening.sheet.death_case, "silu_and_mul rows=9");
  EXPECT_TRUE(opening.drawn.empty());
}

TEST(Checker, DrawsTheSameCasesInEveryProcess) {
  const CheckerSettings settings{
      .subjects = {find<Subject>("silu_and_mul")}, .laws = {find<Law>("conforms"), find<Law>("heeds")}, .drawn_cases = 9};
  const Say nobody = [](const std::string&) {};
  const std::string once = checker(settings)("open silu_and_mul", nobody).text;
  EXPECT_EQ(checker(settings)("open silu_and_mul", nobody).text, once);
  EXPECT_EQ(opening_of(*find<Subject>("silu_and_mul"), once).drawn.size(), 9u);
  CheckerSettings other = settings;
  other.seed = 2;
  EXPECT_NE(checker(other)("open silu_and_mul", nobody).text, once);
}

}  // namespace
}  // namespace assay::properties
