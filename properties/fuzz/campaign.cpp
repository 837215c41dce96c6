#include "properties/fuzz/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fixtures/case/shown.hpp"
#include "fixtures/fill/random.hpp"
#include "properties/crew/hashes.hpp"
#include "properties/generators/search.hpp"

namespace assay::properties {
namespace {

/// Cases that are chosen at once. Two batches are under way, so that processes rarely wait for the slowest case of one.
constexpr int64_t kBatch = 32;

/// Bytes of a case's operands and outputs at most: small cases find what large ones do, and many more can be tried.
constexpr int64_t kBytes = 4 << 20;

/// Tries of one shrink. One that takes more goes by ever smaller steps.
constexpr int kShrinks = 1000;

/// Seeds that a neighbour of a failing case is tried with. A term of a sum that is left out is zero in one exact fill in five.
constexpr int kSeeds = 4;

/// On the emulator one thread a process, blocks in order; and a thread that hangs is given up soon (properties/trial.cpp).
BenchSettings for_workers(BenchSettings settings) {
  if (settings.workers == 0) settings.workers = 1;
  settings.patience = std::min(settings.patience, 5.0);
  return settings;
}

/// Cases that the subject takes, of a size that many can be tried of.
Wanted wanted_by(const Subject& subject, double multiply_adds) {
  return [&subject, multiply_adds](const Case& c) {
    const Contract& contract = c.definition();
    if (contract.work(c.parameters).multiply_adds > multiply_adds || (subject.refuses && subject.refuses(c.parameters))) return false;
    int64_t bytes = 0;
    for (const TensorSpec& t : contract.tensors(c.parameters)) bytes += t.extent() * t.element_bytes();
    return bytes <= kBytes;
  };
}

/// Whose results a journal holds.
std::string owner(const FuzzPlan& plan, const BenchSettings& settings) {
  std::string text = fmt::format("{} seed={} backend={} schedule={} multiply_adds={:g}", plan.subjects.front()->contract, plan.seed,
                                 name(settings.backend), settings.schedule, plan.multiply_adds);
  for (const Subject* s : plan.subjects) text += fmt::format(" {}:{:016x}", s->name, hash_of_code(*s, settings));
  return text;
}

/// `conforms` first.
std::vector<LawVerdict> failures(const TaskResult& result) {
  std::vector<LawVerdict> all;
  for (const LawVerdict& l : result.laws)
    if (l.verdict.outcome == Outcome::fail) all.push_back(l);
  std::ranges::stable_partition(all, [](const LawVerdict& l) { return l.law == "conforms"; });
  return all;
}

const LawVerdict* verdict_of(const TaskResult& result, std::string_view law) {
  const auto found = std::ranges::find(result.laws, law, &LawVerdict::law);
  return found == result.laws.end() ? nullptr : &*found;
}

/// The bucket of a case's value of a parameter, or of its fill.
std::string place_of(const Case& c, const std::string& parameter) {
  if (parameter == "fill") return std::string(name(c.fill));
  for (const Parameter& p : c.definition().parameters)
    if (p.name == parameter) return bucket_of(p, c.parameters.at(p.name));
  return {};
}

/// Whether no bucket of the case is one in which the finding's smallest case passes.
bool contains(const std::vector<FailingRegion>& region, const Case& c) {
  return std::ranges::none_of(region, [&](const FailingRegion& r) { return std::ranges::count(r.passing, place_of(c, r.name)) > 0; });
}

/// The place of a case that fails belongs to the region, whatever the smallest case does there.
void widen(std::vector<FailingRegion>& region, const Case& c) {
  for (FailingRegion& r : region)
    if (std::erase(r.passing, place_of(c, r.name))) r.failing.push_back(place_of(c, r.name));
}

}  // namespace

Campaign::Campaign(const FuzzPlan& plan, const BenchSettings& settings, const FuzzProgress& progress)
    : plan(plan),
      settings(settings),
      progress(progress),
      tasks(plan.jobs, plan.limits, plan.seconds,
            [this] { return examiner(this->plan.subjects, laws, for_workers(this->settings)); },
            [this](const std::string& task, const Reply& reply) { return Tasks::Outcome{reply.died ? obituary(task, reply) : reply.text, ""}; }) {
  for (const Law& law : registry<Law>())
    if (!law.runs_others) laws.push_back(&law);   // findings are about a case and its neighbours
  laws = laws_for(laws, settings.backend);
  if (!plan.journal.empty()) tasks.remember(plan.journal, "assay fuzz", owner(plan, settings));
  const Contract& contract = *find<Contract>(plan.subjects.front()->contract);
  for (const Subject* s : plan.subjects)
    lines.push_back({.subject = s, .coverage = Coverage(contract), .cells = cells_of(s->name, names_of(laws)), .outcome = {.subject = s->name}});
  result.contract = contract.name, result.seconds_before = tasks.seconds_before();
}

// ---- tasks

/// Where a process died and nobody can speak: the law that it was at, or that the task names, or `conforms`.
std::string Campaign::obituary(const std::string& task, const Reply& reply) const {
  const size_t law = task.find(' ', task.find(' ') + 1) + 1;
  std::string named = task.substr(law, task.find(' ', law) - law);
  if (named == "*") named = (std::ranges::count(laws, "conforms", &Law::name) ? *find<Law>("conforms") : *laws.front()).name;
  Asked found = asked_by(reply, named);
  for (const std::string& left : found.left) found.verdicts.push_back(not_asked(left));
  return to_text(TaskResult{.laws = std::move(found.verdicts), .codes = {}, .contents = {}});
}

std::optional<TaskResult> Campaign::take(uint64_t task) {
  const std::optional<std::string> text = tasks.take(task);
  return text ? std::optional(result_of(*text)) : std::nullopt;
}

std::optional<TaskResult> Campaign::ask(const Task& task) { return take(tasks.submit(to_text(task), true)); }

// ---- cases

bool Campaign::choose_batch(Line& line, size_t index) {
  const int64_t count = plan.cases ? std::min(kBatch, plan.cases - line.chosen) : kBatch;
  if (count <= 0 || tasks.out_of_time()) return false;
  const Contract& contract = *find<Contract>(line.subject->contract);
  const Stream random(plan.seed, line.subject->name + " fuzzed");
  const Below below = [&](uint64_t n) { return random.below(n, line.drawn++); };
  const Wanted wanted = wanted_by(*line.subject, plan.multiply_adds);
  std::deque<Pending> batch;
  for (int64_t i = 0; i < count; i++) {
    const double size = std::max(draw_size(contract, plan.multiply_adds, below), line.least);
    const Case c = line.coverage.choose([&] {
      Case drawn = draw_anywhere(contract, size, plan.multiply_adds, below, wanted);
      if (cost(drawn) > size) line.least = std::min(4 * size, plan.multiply_adds);
      return drawn;
    });
    line.coverage.plan(c), line.chosen++;
    batch.push_back({index, c, tasks.submit(to_text(Task{.kind = Task::Kind::check, .subject = line.subject->name, .law = "", .problem = c}), false)});
  }
  batches.push_back(std::move(batch));
  return true;
}

void Campaign::learn_batch() {
  for (const Pending& p : batches.front()) {
    const std::optional<TaskResult> found = take(p.task);
    if (!found) break;
    learn(lines[p.line], p.problem, *found);
    if (progress) progress(result.cases, plan.cases * int64_t(lines.size()), result.seconds_before + tasks.seconds());
  }
  batches.pop_front();
}

void Campaign::learn(Line& line, const Case& c, TaskResult found) {
  std::erase_if(found.laws, [&](const LawVerdict& l) { return l.verdict.outcome == Outcome::fail && is_known(*line.subject, l.law, c); });
  const std::vector<LawVerdict> failed = failures(found);
  const LawVerdict* judged = verdict_of(found, "conforms");
  std::optional<double> share;
  if (judged && judged->verdict.outcome == Outcome::pass) share = judged->verdict.worst_share;
  line.coverage.learn(c, !failed.empty(), share, found.codes);
  for (Cell& cell : line.cells)
    if (const LawVerdict* l = verdict_of(found, cell.law)) properties::add(cell, c, l->verdict);
  result.cases++, line.outcome.cases++, line.outcome.failing += !failed.empty();
  const bool checked = judged && (judged->verdict.outcome == Outcome::pass || judged->verdict.outcome == Outcome::fail);
  if (checked) line.outcome.shares.add(judged->verdict.worst_share, judged->verdict.outcome != Outcome::fail);
  line.outcome.unchecked += !checked;
  if (!failed.empty()) accuse(line, c, failed);
}

Fuzzed Campaign::run() {
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < lines.size(); i++) {
      more |= choose_batch(lines[i], i);
      if (batches.size() > 1) learn_batch();
    }
  }
  while (!batches.empty()) learn_batch();
  for (Line& line : lines) {
    std::ranges::for_each(line.cells, doubt_vacuous);
    line.outcome.regions = line.coverage.regions(wanted_by(*line.subject, plan.multiply_adds)), line.outcome.pairs = line.coverage.pairs(),
    line.outcome.codes = line.coverage.codes();
    result.cells.insert(result.cells.end(), line.cells.begin(), line.cells.end());
    result.subjects.push_back(std::move(line.outcome));
  }
  for (Cell& cell : result.cells)
    for (const Finding& f : findings)
      for (const Accusation& a : f.laws)
        if (f.subject == cell.subject && a.law == cell.law && cell.first_failing.empty())
          cell.smallest = a.smallest, cell.first_failing = a.first;
  result.findings = std::move(findings), result.seconds = tasks.seconds(), result.remembered = tasks.remembered();
  return std::move(result);
}

// ---- failures

bool Campaign::is_known(const Subject& subject, const std::string& law, const Case& c) const {
  return properties::is_known(plan.ledger, subject.name, law, settings.backend, c);
}

std::optional<std::string> Campaign::fails(const Subject& subject, const std::string& law, const Case& c) {
  if (is_known(subject, law, c)) return {};
  const std::optional<TaskResult> found = ask({.kind = Task::Kind::check, .subject = subject.name, .law = law, .problem = c});
  const LawVerdict* l = found ? verdict_of(*found, law) : nullptr;
  return l && l->verdict.outcome == Outcome::fail ? std::optional(l->verdict.reason) : std::nullopt;
}

/// Under one law, and only to what it complains of in the same words: else one fault would shrink to another.
Accusation Campaign::shrunk(const Subject& subject, const LawVerdict& seen, const Case& c, bool& to_the_end) {
  const std::string kind = kind_of_failure(seen.verdict.reason);
  Found best{.first = c, .smallest = c, .why = seen.verdict.reason};
  int tries = 0;
  const Found found = shrink(c, 1e9, [&](const Case& candidate) -> std::optional<std::string> {
    if (candidate == c) return seen.verdict.reason;
    if (tries++ >= kShrinks) return {};
    if (tasks.out_of_time()) {
      to_the_end = false;
      return {};
    }
    const std::optional<std::string> why = fails(subject, seen.law, candidate);
    return why && kind_of_failure(*why) == kind ? why : std::nullopt;
  });
  return {.law = seen.law,
          .cases = 0,
          .first = to_line(c),
          .smallest = {found.smallest, subject.name, seen.law, std::string(name(settings.backend)), settings.schedule, subject.plugin},
          .reason = found.why};
}

/// With other data, if the case's own does not show it: a bucket passes if it does so with all of kSeeds.
bool Campaign::fails_alike(const Subject& subject, const Accusation& a, Case c) {
  for (int i = 0; i < kSeeds && !tasks.out_of_time(); i++, c.seed++)
    if (const auto why = fails(subject, a.law, c); why && kind_of_failure(*why) == kind_of_failure(a.reason)) return true;
  return false;
}

std::vector<FailingRegion> Campaign::explored(const Subject& subject, const Accusation& a, bool& to_the_end) {
  std::vector<FailingRegion> region;
  const Case& smallest = a.smallest.problem;
  auto of = [&](const std::string& name) -> FailingRegion& {
    const auto found = std::ranges::find(region, name, &FailingRegion::name);
    if (found != region.end()) return *found;
    return region.emplace_back(name, std::vector{place_of(smallest, name)}, std::vector<std::string>());
  };
  const Wanted wanted = wanted_by(subject, plan.multiply_adds);
  for (const Neighbour& n : neighbours(smallest)) {
    if (!wanted(n.problem)) continue;
    const bool alike = fails_alike(subject, a, n.problem);
    if (!alike && tasks.out_of_time()) {  // not all of its seeds were tried
      to_the_end = false;
      break;
    }
    FailingRegion& r = of(n.name);
    (alike ? r.failing : r.passing).push_back(n.bucket);
  }
  return region;
}

/// A finding of the subject that the failing case belongs to.
Finding* Campaign::known(const Subject& subject, const Case& c, const std::vector<LawVerdict>& seen) {
  for (Finding& f : findings) {
    const bool alike = std::ranges::any_of(f.laws, [&](const Accusation& a) {
      return std::ranges::any_of(
          seen, [&](const LawVerdict& l) { return l.law == a.law && kind_of_failure(l.verdict.reason) == kind_of_failure(a.reason); });
    });
    if (f.subject == subject.name && alike && contains(f.region, c)) return &f;
  }
  return nullptr;
}

/// What the laws of other findings say of a case in their regions, as far as they fail on it: one law alone may have seen the case that shrank to it.
std::vector<LawVerdict> Campaign::seen_by_others(const Subject& subject, const Case& c) {
  std::vector<LawVerdict> seen;
  for (const Finding& f : findings) {
    if (f.subject != subject.name || !contains(f.region, c)) continue;
    for (const Accusation& a : f.laws)
      if (const auto why = fails(subject, a.law, c)) seen.push_back({a.law, failed(*why)});
  }
  return seen;
}

/// Counts a failing case with a finding. Laws that had not seen it yet are tried on its smallest case first.
void Campaign::join(Finding& f, const Subject& subject, const Case& c, const std::vector<LawVerdict>& seen) {
  f.cases++;
  for (const LawVerdict& l : seen) {
    auto accusation = std::ranges::find(f.laws, l.law, &Accusation::law);
    if (accusation == f.laws.end()) {
      const Case smallest = f.laws.front().smallest.problem;
      Accusation a{.law = l.law, .cases = 0, .first = to_line(c), .smallest = f.laws.front().smallest, .reason = ""};
      if (const auto why = fails(subject, l.law, smallest))
        a.smallest.law = l.law, a.reason = *why;
      else
        a = shrunk(subject, l, c, f.shrunk);
      accusation = f.laws.insert(f.laws.end(), std::move(a));
    }
    accusation->cases++;
  }
}

void Campaign::accuse(Line& line, const Case& c, std::vector<LawVerdict> seen) {
  const Subject& subject = *line.subject;
  if (Finding* f = known(subject, c, seen)) return join(*f, subject, c, seen);
  Finding fresh{.subject = subject.name};
  fresh.laws.push_back(shrunk(subject, seen.front(), c, fresh.shrunk));
  const Case& smallest = fresh.laws.front().smallest.problem;
  LawVerdict first = seen.front();
  first.verdict.reason = fresh.laws.front().reason;
  std::vector<LawVerdict> there = seen_by_others(subject, smallest);
  there.push_back(first);
  if (Finding* f = known(subject, smallest, there)) {
    widen(f->region, c);  // it ends where another one does
    return join(*f, subject, c, seen);
  }
  fresh.region = explored(subject, fresh.laws.front(), fresh.explored);
  widen(fresh.region, c);
  if (plan.contents && !tasks.out_of_time()) reduce_contents(fresh);
  findings.push_back(std::move(fresh));
  join(findings.back(), subject, c, seen);
}

void Campaign::reduce_contents(Finding& f) {
  const Accusation& a = f.laws.front();
  const std::optional<TaskResult> found =
      ask({.kind = Task::Kind::reduce, .subject = f.subject, .law = a.law, .problem = a.smallest.problem});
  if (!found || found->contents.empty()) return;
  f.contents = found->contents, f.contents_reason = found->laws.front().verdict.reason;
}

Fuzzed fuzz(const FuzzPlan& plan, const BenchSettings& settings, const FuzzProgress& progress) {
  return Campaign(plan, settings, progress).run();
}

}  // namespace assay::properties
