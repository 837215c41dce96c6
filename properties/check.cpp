#include "properties/check.hpp"

#include <fmt/format.h>

#include "properties/check/run.hpp"
#include "properties/crew/hashes.hpp"

namespace assay::properties {
namespace {

std::string joined(const Suite& suite) {
  std::string text = fmt::format("{}\n", suite.budget);
  for (const Case& c : suite.cases) text += to_line(c) + "\n";
  return text;
}

std::string joined(const Ledger& ledger) {
  std::string text;
  for (const KnownFailure& k : ledger)
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\n", k.subject, k.law, k.line, k.backend ? name(*k.backend) : "", k.reason, k.link, k.place);
  return text;
}

}  // namespace

std::string shard_text(const Shard& s) { return fmt::format("shard {}/{}", s.index, s.of); }

std::string identity(const Plan& plan, const BenchSettings& settings) {
  std::string subjects, laws;
  for (const Subject* s : plan.subjects) subjects += fmt::format("{} {} {:016x}\n", s->name, s->plugin, hash_of_code(*s, settings));
  for (const std::string& law : names_of(laws_for(plan.laws, settings.backend))) laws += law + "\n";
  return fmt::format(
      "suite={}:{:016x} seed={} cases={} backend={} schedule={} judge_all={} limit={:g} memory={:g} isolated={} subjects={:016x} laws={:016x} "
      "ledger={:016x} program={:016x}",
      plan.suite.name, hash_of_text(joined(plan.suite)), plan.seed, plan.drawn_cases, name(settings.backend), settings.schedule,
      settings.judge_all, plan.limits.patience, plan.limits.chosen ? plan.limits.bytes : 0, plan.jobs > 0, hash_of_text(subjects), hash_of_text(laws),
      hash_of_text(joined(plan.ledger)), hash_of_file("/proc/self/exe"));
}

std::vector<Cell> check(const Plan& plan, const BenchSettings& settings, const Progress& progress, Sheets* sheets) {
  CheckRun run(plan, settings, progress);
  std::vector<Cell> cells = run.run();
  if (sheets) *sheets = std::move(run.sheets());
  return cells;
}

std::vector<Cell> reproduce(const Reproducer& r, const Tensors& operands, const BenchSettings& settings, const Progress& progress,
                            const Isolation& isolation) {
  if (!r.subject.empty() && !find<Subject>(r.subject)) throw BadInput("unknown subject '" + r.subject + "': see assay list");
  if (!r.law.empty() && !find<Law>(r.law)) throw BadInput("unknown law '" + r.law + "': see assay list");
  if (!r.subject.empty() && find<Subject>(r.subject)->contract != r.problem.contract)
    throw BadInput("subject '" + r.subject + "' implements " + find<Subject>(r.subject)->contract + ", not " + r.problem.contract);
  std::vector<const Subject*> subjects;
  std::vector<const Law*> laws;
  for (const Subject& s : registry<Subject>())
    if (s.contract == r.problem.contract && (r.subject.empty() || s.name == r.subject) && (r.plugin.empty() || s.plugin == r.plugin))
      subjects.push_back(&s);
  for (const Law& l : registry<Law>())
    if (r.law.empty() ? speaks_of(l, settings.backend) : l.name == r.law) laws.push_back(&l);
  Within within(progress);
  BenchSettings watched = settings;
  if (isolation.jobs == 0) watched.progress = [&](double share) { within(share); };
  Tasks tasks(isolation.jobs, isolation.limits, 0,
              [&] { return checker({.subjects = subjects, .laws = laws, .bench = watched, .given = r.problem, .operands = operands}); }, checkers_outcome);
  within.begins(0, 1, to_line(r.problem));
  std::vector<Cell> cells;
  for (const Subject* subject : subjects) {
    CaseSheet found;
    read_case(found, *tasks.take(tasks.submit(case_task(subject->name, names_of(laws), r.problem), false)));
    for (const LawVerdict& l : found.laws) {
      Cell cell = cells_of(subject->name, {l.law}).front();
      add(cell, r.problem, l.verdict);
      if (l.verdict.outcome == Outcome::fail)
        cell.smallest = {r.problem, subject->name, l.law, std::string(name(settings.backend)), settings.schedule, subject->plugin};
      cells.push_back(cell);
    }
  }
  within.begins(1, 1, "");
  return cells;
}

}  // namespace assay::properties
