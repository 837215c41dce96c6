#include "properties/check.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cmath>

#include "fixtures/case/shown.hpp"
#include "fixtures/memory/room.hpp"
#include "golden/contents.hpp"
#include "tools/assay/commands.hpp"
#include "tools/assay/filter.hpp"
#include "tools/assay/in_depth.hpp"
#include "tools/assay/plugins.hpp"
#include "tools/assay/progress.hpp"
#include "tools/report/shard.hpp"
#include "tools/tensors/files/files.hpp"

namespace assay::tools {
namespace {

constexpr int kMostShards = 1000000;

/// "2/4".
properties::Shard shard_of(const std::string& text) {
  properties::Shard s;
  const char *begin = text.data(), *end = begin + text.size();
  const auto index = std::from_chars(begin, end, s.index);
  const bool parts = index.ec == std::errc{} && index.ptr != end && *index.ptr == '/';
  const auto of = std::from_chars(parts ? index.ptr + 1 : end, end, s.of);
  if (!parts || of.ec != std::errc{} || of.ptr != end || s.index < 1 || s.index > s.of || s.of > kMostShards)
    throw BadInput(fmt::format("--shard '{}': want k/n, such as 1/4, with k from 1 to n and n up to {}", shown(text), kMostShards));
  return s;
}

report::Report report_of(const BenchSettings& settings, std::vector<properties::Cell> cells) {
  return {.schedule = settings.schedule,
          .backend = std::string(name(settings.backend)),
          .device = described(settings.backend),
          .cells = std::move(cells)};
}

std::vector<std::string> inputs_of(const CheckOptions& options) {
  std::vector<std::string> files{options.suite, options.image, options.ledger, options.journal, options.tensors};
  files.insert(files.end(), options.plugins.begin(), options.plugins.end());
  return files;
}

}  // namespace

int check(const CheckOptions& options) {
  const Plugins plugins = load_plugins(options.plugins, options.backend, options.image);
  const Selection selection = plugins.only(select(options.filter), options.filter);
  const bool isolated = isolates(options.isolation, plugins);
  properties::Plan plan{.suite = {},
                        .subjects = selection.subjects,
                        .laws = selection.laws,
                        .seed = options.seed,
                        .drawn_cases = options.cases,
                        .ledger = options.ledger.empty() ? properties::committed_ledger() : properties::load_ledger(options.ledger),
                        .jobs = std::max(options.jobs, int(isolated)),
                        .limits = limits_of(options.isolation, plugins.backend),
                        .shard = options.shard ? shard_of(*options.shard) : properties::Shard{},
                        .journal = options.journal};
  const Replay replay{.file = options.tensors, .line = options.shapes, .names = options.map};
  if (replay.file.empty()) plan.suite = load_suite(options.suite);
  const std::string note = replay.file.empty() ? "" : replay_into(plan, replay, from_file);
  const BenchSettings settings{.backend = plugins.backend,
                               .workers = options.workers,
                               .schedule = options.schedule,
                               .judge_all = options.judge_all,
                               .image = options.image};
  if (options.shard && !options.report.empty())
    throw BadInput("--report is of a whole run: with --shard, write --json, for assay merge");
  report::check_outputs({{"--json", options.json}, {"--junit", options.junit}, {"--report", options.report}}, inputs_of(options));
  if (!options.out.empty()) golden::check_folder(options.out);

  const auto start = std::chrono::steady_clock::now();
  ProgressBar bar;
  properties::Sheets sheets;
  std::vector<properties::Cell> cells = properties::check(
      plan, settings, [&](double done, size_t all, const std::string& what) { bar.show(done, all, what); }, &sheets);
  const std::vector<report::Undeclared> notes =
      undeclared(plan.subjects, plan.suite.cases, plan.jobs ? std::optional(plan.limits) : std::nullopt);
  report::Report report{.cells = std::move(cells)};
  report.notes = report::notes_on(notes, report.cells);
  if (!note.empty()) report.notes.insert(report.notes.begin(), note);
  if (!replay.file.empty()) say_again(report.cells, plan, replay, settings, options.out);
  if (!options.report.empty()) report.portraits = in_depth(plan.subjects, report.cells, plan.suite.cases, settings, plan.jobs ? std::optional(plan.limits) : std::nullopt, report.notes);
  report.schedule = settings.schedule, report.backend = name(settings.backend), report.device = described(settings.backend);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report.suite = plan.suite.name, report.seed = plan.seed, report.drawn_cases = plan.drawn_cases;
  report.version = ASSAY_VERSION, report.image = options.image;

  if (options.shard) fmt::print("{} of the cases\n", shard_text(plan.shard));
  fmt::print("{}", report::to_text(report, isatty(STDOUT_FILENO)));
  if (!options.json.empty())
    report::write_file(options.json, !options.shard ? report::to_json(report)
                                                           : report::to_json(report, {plan.shard, identity(plan, settings), sheets, notes}));
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
  if (options.plugin.empty() && options.backend.empty() && plugins.backend != backend_named(reproducer.backend))
    throw BadInput(fmt::format("the line is of backend {}, and {} was built for {}: want --plugin with a file built for {}, or --backend {}",
                               reproducer.backend, reproducer.plugin, name(plugins.backend), reproducer.backend, name(plugins.backend)));
  const BenchSettings settings{.backend = plugins.backend,
                               .schedule = reproducer.schedule,
                               .judge_all = options.judge_all,
                               .image = options.image};
  const Memory memory{.host = host_memory(), .device = INFINITY};  // a device that is too small is a reason to skip, not bad input
  if (auto why = no_room(problem.definition().tensors(problem.parameters), settings.backend, memory)) throw BadInput(*why);
  const bool isolated = isolates(options.isolation, plugins);
  const properties::Limits limits = limits_of(options.isolation, plugins.backend);
  ProgressBar bar;
  const auto show = [&](double done, size_t all, const std::string& what) { bar.show(done, all, what); };
  report::Report report =
      report_of(settings, properties::reproduce(reproducer, read.operands, settings, show, {.jobs = isolated, .limits = limits}));
  report.suite = "of one case";
  report.notes = report::notes_on(undeclared(plugins.subjects(), {problem}, isolated ? std::optional(limits) : std::nullopt), report.cells);
  if (report.cells.empty()) throw BadInput("no law applies: the law or subject named in the line says nothing about this case");
  fmt::print("{}", report::to_text(report, isatty(STDOUT_FILENO)));
  return report::exit_code(report.cells);
}

}  // namespace assay::tools
