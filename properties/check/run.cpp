#include "properties/check/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "properties/generators/search.hpp"

namespace assay::properties {
namespace {

// The checker looks at every access of a block, and the same code in ten times the blocks shows it little more.
constexpr double kCheckedShare = 0.1;

// Cases that are handed out before their turn comes, for each process: enough to keep all busy beside a slow one, and few enough that a
// cell that has failed is soon asked about no more.
constexpr size_t kAhead = 4;

// What shrinking one failure may cost: tries, and multiply-adds of the cases tried, some seconds to some tens of seconds of the emulator or
// of the judge beside a GPU. Counted, not timed, so that every run shrinks to the same case.
constexpr int kShrinks = 1000, kDeaths = 60;  // a process that dies may take long to, where it fills the memory first
constexpr double kEmulatedWork = 3e8, kWork = 3e10, kWorkOfATry = 1e4;

BenchSettings for_plan(BenchSettings settings, const Plan& plan) {
  if (settings.multiply_adds == 0 && is_emulated(settings.backend)) settings.multiply_adds = plan.suite.multiply_adds_per_run();
  if (settings.backend == Backend::checked) settings.multiply_adds *= kCheckedShare;
  if (plan.jobs > 0 && settings.workers == 0) settings.workers = std::max(1, int(std::thread::hardware_concurrency()) / plan.jobs);
  return settings;
}

}  // namespace

CheckRun::CheckRun(const Plan& plan, const BenchSettings& settings, const Progress& progress)
    : plan(plan),
      settings(for_plan(settings, plan)),
      kept{.backend = settings.backend, .laws = names_of(laws_for(plan.laws, settings.backend)), .ledger = plan.ledger, .subjects = {}},
      within(progress),
      tasks(
          plan.jobs, plan.limits, 0,
          [this] {
            BenchSettings bench = this->settings;
            if (this->plan.jobs == 0) bench.progress = [this](double share) { within(share); };
            return checker({.subjects = this->plan.subjects,
                            .laws = laws_for(this->plan.laws, bench.backend),
                            .bench = bench,
                            .seed = this->plan.seed,
                            .drawn_cases = this->plan.drawn_cases,
                            .given = this->plan.operands.empty() ? Case{} : this->plan.suite.cases.front(),
                            .operands = this->plan.operands});
          },
          checkers_outcome) {
  if (!plan.journal.empty()) tasks.remember(plan.journal, "assay check", identity(plan, settings) + " " + shard_text(plan.shard));
}

/// Numbers all cases, and takes those of this shard.
void CheckRun::open_subjects() {
  std::vector<uint64_t> openings;
  for (const Subject* s : plan.subjects) openings.push_back(tasks.submit(opening_task(s->name), false));
  for (size_t i = 0; i < plan.subjects.size(); i++) {
    const Subject& subject = *plan.subjects[i];
    Opening opening = opening_of(subject, *tasks.take(openings[i]));
    auto add = [&](const Case& c, bool drawn) {
      const size_t number = kept.total++;
      if (number % size_t(plan.shard.of) == size_t(plan.shard.index - 1))
        items.push_back({.subject = i, .problem = c, .sheet = {.number = number, .line = to_line(c), .drawn = drawn}});
    };
    for (const Case& c : plan.suite.cases)
      if (c.contract == subject.contract) add(c, false);
    for (const Case& c : opening.drawn) add(c, true);
    kept.subjects.push_back(std::move(opening.sheet));
  }
  for (const SubjectSheet& sheet : kept.subjects) sums.emplace_back(sheet, kept.laws, kept.ledger, kept.backend);
}

/// What a journal calls it does not tell which laws are asked, since that hangs on how far the run is: those whose cells still go on when
/// its turn comes are among them, whenever it was handed out.
void CheckRun::submit(Item& item) {
  const std::string& subject = plan.subjects[item.subject]->name;
  if (const std::vector<std::string> laws = sums[item.subject].open(); !laws.empty())
    item.task = tasks.submit(case_task(subject, laws, item.problem), false,
                             fmt::format("case {} {} {}", item.sheet.number, subject, item.sheet.line));
}

Shrunk CheckRun::shrunk(const Subject& subject, const std::string& law, const Case& c, const CaseSheet& from, const Verdict& seen) {
  Reproducer smallest{.problem = c,
                      .subject = subject.name,
                      .law = law,
                      .backend = std::string(name(settings.backend)),
                      .schedule = settings.schedule,
                      .plugin = subject.plugin};
  const auto died = from.died.find(law);
  const bool hung = died != from.died.end() && died->second;  // each smaller one that hangs would take as long
  if (hung || !plan.operands.empty()) return {to_line(smallest), seen.reason};
  int tries = 0, deaths = 0;
  double work = 0;
  const double most = is_emulated(settings.backend) ? kEmulatedWork : kWork;
  const Found found = shrink(c, plan.seconds_to_shrink, [&](const Case& candidate) -> std::optional<std::string> {
    if (candidate == c) return seen.reason;
    if (tries >= kShrinks || deaths >= kDeaths || work > most || is_known(kept.ledger, subject.name, law, settings.backend, candidate))
      return {};
    const double own = cost(candidate);
    tries++,
        work += kWorkOfATry + (is_emulated(settings.backend) && settings.multiply_adds > 0 ? std::min(own, settings.multiply_adds) : own);
    CaseSheet result;
    read_case(result, *tasks.take(tasks.submit(case_task(subject.name, {law}, candidate), true)));
    if (result.died.contains(law) && result.died[law]) {
      tries = kShrinks;  // others might take as long
      return {};
    }
    deaths += result.died.contains(law);
    const auto verdict = std::ranges::find(result.laws, law, &LawVerdict::law);
    return verdict != result.laws.end() && verdict->verdict.outcome == Outcome::fail ? std::optional(verdict->verdict.reason)
                                                                                     : std::nullopt;
  });
  smallest.problem = found.smallest;
  return {to_line(smallest), found.why};
}

std::vector<Cell> CheckRun::run() {
  open_subjects();
  const size_t ahead = plan.jobs ? kAhead * size_t(plan.jobs) : 1;
  for (size_t done = 0, handed_out = 0; done < items.size(); done++) {
    for (; handed_out < std::min(items.size(), done + ahead); handed_out++) submit(items[handed_out]);
    Item& item = items[done];
    const Subject& subject = *plan.subjects[item.subject];
    within.begins(done, items.size(), subject.name + "  " + item.sheet.line);
    if (item.task) read_case(item.sheet, *tasks.take(*item.task));
    sums[item.subject].add(item.sheet, [&](const std::string& law, const Case& c, const CaseSheet& from, const Verdict& seen) {
      return shrunk(subject, law, c, from, seen);
    });
    kept.subjects[item.subject].cases.push_back(std::move(item.sheet));
  }
  within.begins(items.size(), items.size(), "");
  std::vector<Cell> all;
  for (const Sum& sum : sums)
    for (Cell& cell : sum.cells(plan.shard.of == 1)) all.push_back(std::move(cell));
  return all;
}

}  // namespace assay::properties
