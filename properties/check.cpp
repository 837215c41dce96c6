#include "properties/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "properties/generators/cases.hpp"
#include "properties/generators/search.hpp"
#include "fixtures/fill/random.hpp"

namespace assay::properties {
namespace {

// The checker looks at every access of a block, and the same code in ten times the blocks shows it little more.
constexpr double kCheckedShare = 0.1;

/// Counts a case for the entries of the ledger that speak of it; whether it failed and any does.
bool known(Cell& cell, const Plan& plan, const Subject& subject, const Law& law, Backend backend, const Case& c, const Verdict& verdict) {
  const bool fails = verdict.outcome == Outcome::fail;
  if (!fails && verdict.outcome != Outcome::pass) return false;
  bool any = false;
  for (const KnownFailure& entry : plan.ledger) {
    if (!entry.speaks_of(subject, law, backend, c)) continue;
    auto seen = std::ranges::find(cell.known, entry.place, [](const KnownInCell& k) { return k.entry.place; });
    if (seen == cell.known.end()) seen = cell.known.insert(seen, {.entry = entry, .first = c});
    if (fails && seen->failed == 0) seen->first = c, seen->failure = verdict.reason;
    (fails ? seen->failed : seen->passed)++;
    any = true;
  }
  return fails && any;
}

/// Known where failures were, and failed where the ledger speaks of one that did not happen.
void settle(Cell& cell, Backend backend) {
  if (cell.verdict.outcome == Outcome::fail) return;   // not all cases ran
  for (const KnownInCell& k : cell.known)
    if (k.failed == 0) {
      cell.verdict.outcome = Outcome::fail;
      cell.verdict.reason = fmt::format("unexpected pass: {}: '{}' is said to fail, and passed on all of {} cases: take the entry out ({})",
                                        k.entry.place, k.entry.reason, k.passed, k.entry.link);
      cell.smallest = {.problem = k.first, .subject = cell.subject, .law = cell.law, .backend = std::string(name(backend))};
      cell.first_failing = to_line(k.first);
      return;
    }
  if (!cell.known.empty() && (cell.verdict.outcome == Outcome::pass || cell.cases == 0))
    cell.verdict.outcome = Outcome::known, cell.verdict.reason = cell.known.front().entry.reason;
}

/// Shrinks under the law alone, with a bench of its own so that the runs of the sweep stay as they are.
void shrink_failure(Cell& cell, const Law& law, const Subject& subject, const Case& c, const BenchSettings& settings, const Plan& plan) {
  cell.first_failing = to_line(c);
  cell.smallest = {.problem = c, .subject = subject.name, .law = law.name, .backend = std::string(name(settings.backend)),
                   .schedule = settings.schedule, .plugin = subject.plugin};
  if (!plan.operands.empty()) return;
  Bench bench(settings);
  const Found found = shrink(c, plan.seconds_to_shrink, [&](const Case& candidate) -> std::optional<std::string> {
    if (!law.applies(subject, candidate) || is_known(plan.ledger, subject, law, settings.backend, candidate)) return {};
    const Verdict verdict = verdict_of(law, bench, subject, candidate);
    return verdict.outcome == Outcome::fail ? std::optional(verdict.reason) : std::nullopt;
  });
  cell.smallest.problem = found.smallest;
  cell.verdict.reason = found.why;
}

std::vector<Case> drawn(const Subject& subject, const Plan& plan) {
  const Stream random(plan.seed, subject.name);
  uint64_t index = 0;
  const Below below = [&](uint64_t n) { return random.below(n, index++); };
  const Wanted taken = [&](const Case& c) { return !subject.refuses || !subject.refuses(c.parameters); };
  std::vector<Case> cases;
  for (int i = 0; i < plan.drawn_cases; i++)
    cases.push_back(draw_case(*find<Contract>(subject.contract), 100 * (i + 1) / plan.drawn_cases, 1e6, below, taken));
  return cases;
}

/// Passes on what a bench reports of a long judgement of case number `done`.
class Within {
 public:
  Within(const Progress& progress, size_t total) : progress(progress), total(total) {}

  void begins(size_t number, std::string line) {
    if (!progress) return;
    const std::lock_guard alone(lock);
    done = number, what = std::move(line);
    progress(double(done), total, what);
  }
  void operator()(double share) {
    const std::lock_guard alone(lock);
    if (progress) progress(double(done) + share, total, what);
  }

 private:
  const Progress& progress;
  const size_t total;
  std::mutex lock;
  size_t done = 0;
  std::string what;
};

std::vector<Case> cases_for(const Subject& subject, const Plan& plan) {
  std::vector<Case> cases;
  for (const Case& c : plan.suite.cases)
    if (c.contract == subject.contract) cases.push_back(c);
  for (const Case& c : drawn(subject, plan)) cases.push_back(c);
  return cases;
}

}  // namespace

std::vector<Cell> check(const Plan& plan, const BenchSettings& settings, const Progress& progress) {
  std::vector<Cell> all;
  size_t done = 0, total = 0;
  for (const Subject* subject : plan.subjects) total += cases_for(*subject, plan).size();
  BenchSettings budgeted = settings;
  if (budgeted.multiply_adds == 0 && is_emulated(budgeted.backend)) budgeted.multiply_adds = plan.suite.multiply_adds_per_run();
  if (budgeted.backend == Backend::checked) budgeted.multiply_adds *= kCheckedShare;
  Within within(progress, total);
  budgeted.progress = [&](double share) { within(share); };
  const std::vector<const Law*> laws = laws_for(plan.laws, settings.backend);
  for (const Subject* subject : plan.subjects) {
    Bench bench(budgeted);
    if (!plan.operands.empty()) bench.put(plan.suite.cases.front(), plan.operands);
    std::vector<Cell> cells = cells_of(*subject, laws);
    const auto of_suite = std::ranges::count(plan.suite.cases, subject->contract, &Case::contract);
    int64_t number = 0;
    for (const Case& c : cases_for(*subject, plan)) {
      const bool is_drawn = number++ >= of_suite;
      within.begins(done++, subject->name + "  " + to_line(c));
      for (size_t i = 0; i < cells.size(); i++) {
        if (cells[i].verdict.outcome == Outcome::fail || !laws[i]->applies(*subject, c)) continue;
        Verdict verdict = verdict_of(*laws[i], bench, *subject, c);
        if (is_drawn) verdict.tried.clear();   // what a suite sets it means to show; drawn cases set whatever comes
        if (known(cells[i], plan, *subject, *laws[i], settings.backend, c, verdict)) continue;
        add(cells[i], c, verdict);
        if (verdict.outcome == Outcome::fail) shrink_failure(cells[i], *laws[i], *subject, c, budgeted, plan);
      }
    }
    for (size_t i = 0; i < cells.size(); i++) doubt_unshown(cells[i], *laws[i], *subject), doubt_vacuous(cells[i]), settle(cells[i], settings.backend);
    all.insert(all.end(), cells.begin(), cells.end());
  }
  within.begins(total, "");
  return all;
}

std::vector<Cell> reproduce(const Reproducer& r, const Tensors& operands, const BenchSettings& settings, const Progress& progress) {
  if (!r.subject.empty() && !find<Subject>(r.subject)) throw BadInput("unknown subject '" + r.subject + "': see assay list");
  if (!r.law.empty() && !find<Law>(r.law)) throw BadInput("unknown law '" + r.law + "': see assay list");
  if (!r.subject.empty() && find<Subject>(r.subject)->contract != r.problem.contract)
    throw BadInput("subject '" + r.subject + "' implements " + find<Subject>(r.subject)->contract + ", not " + r.problem.contract);
  Within within(progress, 1);
  BenchSettings watched = settings;
  watched.progress = [&](double share) { within(share); };
  within.begins(0, to_line(r.problem));
  Bench bench(watched);
  if (!operands.empty()) bench.put(r.problem, operands);
  std::vector<Cell> cells;
  for (const Subject& subject : registry<Subject>()) {
    if (subject.contract != r.problem.contract || (!r.subject.empty() && subject.name != r.subject)) continue;
    if (!r.plugin.empty() && subject.plugin != r.plugin) continue;
    for (const Law& law : registry<Law>()) {
      if ((r.law.empty() ? !speaks_of(law, settings.backend) : law.name != r.law) || !law.applies(subject, r.problem)) continue;
      Cell cell = cells_of(subject, {&law}).front();
      const Verdict verdict = verdict_of(law, bench, subject, r.problem);
      add(cell, r.problem, verdict);
      if (verdict.outcome == Outcome::fail)
        cell.smallest = {r.problem, subject.name, law.name, std::string(name(settings.backend)), settings.schedule, subject.plugin};
      cells.push_back(cell);
    }
  }
  within.begins(1, "");
  return cells;
}

}  // namespace assay::properties
