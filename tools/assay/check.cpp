#include "properties/check.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>

#include "fixtures/memory/room.hpp"
#include "golden/contents.hpp"
#include "tools/assay/commands.hpp"
#include "tools/assay/filter.hpp"
#include "tools/assay/plugins.hpp"
#include "tools/assay/progress.hpp"
#include "tools/report/report.hpp"
#include "tools/tensors/files/files.hpp"

namespace assay::tools {
namespace {

report::Report report_of(const BenchSettings& settings, std::vector<properties::Cell> cells) {
  return {.schedule = settings.schedule,
          .backend = std::string(name(settings.backend)),
          .device = described(settings.backend),
          .cells = std::move(cells)};
}

std::vector<std::string> inputs_of(const CheckOptions& options) {
  std::vector<std::string> files{options.suite, options.image, options.ledger, options.tensors};
  files.insert(files.end(), options.plugins.begin(), options.plugins.end());
  return files;
}

}  // namespace

int check(const CheckOptions& options) {
  const Plugins plugins = load_plugins(options.plugins, options.backend, options.image);
  const Selection selection = plugins.only(select(options.filter), options.filter);
  properties::Plan plan{.suite = {},
                        .subjects = selection.subjects,
                        .laws = selection.laws,
                        .seed = options.seed,
                        .drawn_cases = options.cases,
                        .ledger = options.ledger.empty() ? properties::committed_ledger() : properties::load_ledger(options.ledger)};
  const Replay replay{.file = options.tensors, .line = options.shapes, .names = options.map};
  if (replay.file.empty()) plan.suite = load_suite(options.suite);
  const std::string note = replay.file.empty() ? "" : replay_into(plan, replay, from_file);
  const BenchSettings settings{.backend = plugins.backend,
                               .workers = options.workers,
                               .schedule = options.schedule,
                               .judge_all = options.judge_all,
                               .image = options.image};
  report::check_outputs({{"--json", options.json}, {"--junit", options.junit}, {"--report", options.report}}, inputs_of(options));
  if (!options.out.empty()) golden::check_folder(options.out);

  const auto start = std::chrono::steady_clock::now();
  ProgressBar bar;
  report::Report report = report_of(
      settings, properties::check(plan, settings, [&](double done, size_t all, const std::string& what) { bar.show(done, all, what); }));
  if (!replay.file.empty()) say_again(report.cells, plan, replay, settings, options.out);
  if (!options.report.empty()) report.portraits = properties::portraits(plan.subjects, report.cells, plan.suite.cases, settings);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report.suite = plan.suite.name, report.seed = plan.seed, report.drawn_cases = plan.drawn_cases;
  report.version = ASSAY_VERSION, report.image = options.image;
  report.notes = notes_on_undeclared(plan.subjects, report.cells, plan.suite.cases);
  if (!note.empty()) report.notes.insert(report.notes.begin(), note);

  fmt::print("{}", report::to_text(report, isatty(STDOUT_FILENO)));
  if (!options.json.empty()) report::write_file(options.json, report::to_json(report));
  if (!options.junit.empty()) report::write_file(options.junit, report::to_junit(report));
  if (!options.report.empty()) report::write_file(options.report, report::to_html(report));
  return report::exit_code(report.cells);
}

int repro(const ReproOptions& options) {
  const bool from_file = golden::holds_contents(options.line) || options.line.ends_with(".h5");
  const golden::Contents read = from_file ? golden::read_contents(options.line) : golden::Contents{.reproducer = parse_reproducer(options.line)};
  Reproducer reproducer = read.reproducer;
  if (!options.plugin.empty()) reproducer.plugin = options.plugin;
  const Case& problem = reproducer.problem;
  const std::string backend = options.backend.empty() && reproducer.plugin.empty() ? reproducer.backend : options.backend;
  const Plugins plugins = load_plugins(reproducer.plugin.empty() ? std::vector<std::string>() : std::vector{reproducer.plugin}, backend, options.image);
  const BenchSettings settings{.backend = plugins.backend,
                               .schedule = reproducer.schedule,
                               .judge_all = options.judge_all,
                               .image = options.image};
  const Memory memory{.host = host_memory(), .device = INFINITY};  // a device that is too small is a reason to skip, not bad input
  if (auto why = no_room(problem.definition().tensors(problem.parameters), settings.backend, memory)) throw BadInput(*why);
  ProgressBar bar;
  report::Report report = report_of(
      settings, properties::reproduce(reproducer, read.operands, settings, [&](double done, size_t all, const std::string& what) { bar.show(done, all, what); }));
  report.suite = "of one case";
  report.notes = notes_on_undeclared(plugins.subjects(), report.cells, {problem});
  if (report.cells.empty()) throw BadInput("no law applies: the law or subject named in the line says nothing about this case");
  fmt::print("{}", report::to_text(report, isatty(STDOUT_FILENO)));
  return report::exit_code(report.cells);
}

}  // namespace assay::tools
