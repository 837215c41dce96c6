#include "properties/check.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>

#include "fixtures/memory/room.hpp"
#include "tools/assay/commands.hpp"
#include "tools/assay/filter.hpp"
#include "tools/assay/progress.hpp"
#include "tools/report/report.hpp"

namespace assay::tools {
namespace {

report::Report report_of(const BenchSettings& settings, std::vector<properties::Cell> cells) {
  const Device device(settings.backend);
  return {.schedule = settings.schedule,
          .backend = std::string(name(settings.backend)),
          .device = device.unavailable().empty() ? device.describe() : DeviceDescription{},
          .cells = std::move(cells)};
}

}  // namespace

int check(const CheckOptions& options) {
  const Selection selection = select(options.filter);
  const properties::Plan plan{.suite = load_suite(options.suite),
                              .subjects = selection.subjects,
                              .laws = selection.laws,
                              .seed = options.seed,
                              .drawn_cases = options.cases,
                              .ledger = options.ledger.empty() ? properties::committed_ledger() : properties::load_ledger(options.ledger)};
  const BenchSettings settings{.backend = backend_named(options.backend),
                               .workers = options.workers,
                               .schedule = options.schedule,
                               .judge_all = options.judge_all,
                               .image = options.image};
  report::check_outputs({{"--json", options.json}, {"--junit", options.junit}}, {options.suite, options.image, options.ledger});

  const auto start = std::chrono::steady_clock::now();
  ProgressBar bar;
  report::Report report = report_of(
      settings, properties::check(plan, settings, [&](double done, size_t all, const std::string& what) { bar.show(done, all, what); }));
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report.suite = plan.suite.name, report.seed = plan.seed, report.drawn_cases = plan.drawn_cases;

  fmt::print("{}", report::to_text(report, isatty(STDOUT_FILENO)));
  if (!options.json.empty()) report::write_file(options.json, report::to_json(report));
  if (!options.junit.empty()) report::write_file(options.junit, report::to_junit(report));
  return report::exit_code(report.cells);
}

int repro(const ReproOptions& options) {
  const Reproducer reproducer = parse_reproducer(options.line);
  const Case& problem = reproducer.problem;
  const BenchSettings settings{.backend = backend_named(options.backend.empty() ? reproducer.backend : options.backend),
                               .schedule = reproducer.schedule,
                               .judge_all = options.judge_all,
                               .image = options.image};
  const Memory memory{.host = host_memory(), .device = INFINITY};  // a device that is too small is a reason to skip, not bad input
  if (auto why = no_room(problem.definition().tensors(problem.parameters), settings.backend, memory)) throw BadInput(*why);
  ProgressBar bar;
  report::Report report = report_of(
      settings, properties::reproduce(reproducer, settings, [&](double done, size_t all, const std::string& what) { bar.show(done, all, what); }));
  report.suite = "of one case";
  if (report.cells.empty()) throw BadInput("no law applies: the law or subject named in the line says nothing about this case");
  fmt::print("{}", report::to_text(report, isatty(STDOUT_FILENO)));
  return report::exit_code(report.cells);
}

}  // namespace assay::tools
