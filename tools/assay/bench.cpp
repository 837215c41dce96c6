#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <set>

#include "fixtures/law.hpp"
#include "fixtures/suite/suite.hpp"
#include "tools/assay/commands.hpp"
#include "tools/assay/filter.hpp"
#include "tools/assay/progress.hpp"
#include "tools/report/report.hpp"
#include "tools/report/speed.hpp"

namespace assay::tools {
namespace {

struct Shapes {
  std::vector<Case> cases;
  double multiply_adds = 0;  // the most that the emulator may spend on a run; 0: no limit, since the user wrote every case
};

/// A case line is known by its first word; all else is a suite's name or a file.
bool is_case_line(const std::string& text) { return find<Contract>(text.substr(0, text.find(' '))) != nullptr; }

Shapes shapes_of(const std::vector<std::string>& sources) {
  Shapes all;
  std::set<std::string> lines;  // a case that two sources hold is measured once
  auto add = [&](const Case& c) {
    if (lines.insert(to_line(c)).second) all.cases.push_back(c);
  };
  for (const std::string& source : sources) {
    if (is_case_line(source)) {
      add(parse_case(source));
      continue;
    }
    const Suite suite = load_suite(source);
    all.multiply_adds = std::max(all.multiply_adds, suite.multiply_adds_per_run());
    for (const Case& c : suite.cases) add(c);
  }
  return all;
}

/// The law `conforms` on the small cases of the subject's contract: a failure, a pass where there is one, else the reason for none.
Verdict conforms(Bench& bench, const Subject& subject) {
  Verdict all = skipped("no small case of its contract is one that it takes");
  for (const Case& c : load_suite("smoke").cases) {
    if (c.contract != subject.contract) continue;
    const Verdict verdict = verdict_of(*find<Law>("conforms"), bench, subject, c);
    if (verdict.outcome == Outcome::fail) {
      const BenchSettings& settings = bench.settings();
      const Reproducer r{c, subject.name, "conforms", std::string(name(settings.backend)), settings.schedule};
      return failed(
          fmt::format("{}; assay repro '{}'{}", verdict.reason, to_line(r), settings.image.empty() ? "" : " --image " + settings.image));
    }
    if (all.outcome != Outcome::pass) all = verdict;
  }
  return all;
}

Effort effort_of(const BenchOptions& options, Backend backend) {
  Effort effort{.repeats = options.repeats};
  if (is_emulated(backend)) effort.least = 3, effort.most = 100;
  return effort;
}

SpeedPlan plan_of(const BenchOptions& options, std::vector<Case> cases) {
  SpeedPlan plan{.subjects = subjects_named(options.filter, "bench"), .cases = std::move(cases)};
  for (const Subject* s : plan.subjects)
    for (const Case& c : plan.cases)
      if (c.contract == s->contract) return plan;
  throw BadInput(fmt::format("no case in {} is one of the subjects asked for", fmt::join(options.shapes, ", ")));
}

report::SpeedReport report_of(const BenchOptions& options, const SpeedPlan& plan, const BenchSettings& settings, double multiply_adds) {
  Machine machine(settings, effort_of(options, settings.backend), {.multiply_adds = multiply_adds, .seconds = options.seconds});
  const Timer& timer = machine.timer();
  report::SpeedReport report{.shapes = fmt::format("{}", fmt::join(options.shapes, ", ")),
                             .backend = std::string(name(settings.backend)),
                             .device = timer.device().describe(),
                             .library = machine.baselines().version(),
                             .no_library = machine.baselines().absent(),
                             .ceilings = machine.ceilings(operands_of(plan)),
                             .nothing = timer.time_nothing(),
                             .flush_bytes = timer.flush_bytes()};
  report.card = timer.card();
  ProgressBar bar;
  report.speeds = measure(plan, machine.stopwatch(conforms), report.ceilings.values,
                          [&](size_t done, size_t all, const std::string& what) { bar.show(done, all, what); });
  try {
    report.card_after = timer.card();
  } catch (const DeviceError&) {  // a launch has left the device unusable: its row says so
  }
  return report;
}

}  // namespace

int bench(const BenchOptions& asked) {
  BenchOptions options = asked;
  const BenchSettings settings{.backend = backend_named(options.backend), .workers = options.workers, .image = options.image};
  if (options.shapes.empty()) options.shapes = {is_emulated(settings.backend) ? "smoke" : "bench"};
  const Shapes shapes = shapes_of(options.shapes);
  const SpeedPlan plan = plan_of(options, shapes.cases);
  report::check_outputs({{"--json", options.json}}, options.shapes);
  auto nothing = [&](const std::string& why) {
    fmt::print("nothing was measured: backend {}: {}\n", options.backend, why);
    return 3;
  };
  if (const std::string why = Device(settings.backend).unavailable(); !why.empty()) return nothing(why);
  try {
    const auto start = std::chrono::steady_clock::now();
    report::SpeedReport report = report_of(options, plan, settings, shapes.multiply_adds);
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    fmt::print("{}", report::to_text(report));
    if (!options.json.empty()) report::write_file(options.json, report::to_json(report));
    return report::exit_code(report.speeds);
  } catch (const DeviceError& e) {
    return nothing(e.what());
  }
}

}  // namespace assay::tools
