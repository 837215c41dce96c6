#include "properties/fuzz.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cmath>
#include <thread>

#include "fixtures/case/shown.hpp"
#include "golden/contents.hpp"
#include "tools/assay/commands.hpp"
#include "tools/assay/filter.hpp"
#include "tools/assay/in_depth.hpp"
#include "tools/assay/plugins.hpp"
#include "tools/assay/progress.hpp"
#include "tools/report/fuzz.hpp"

namespace assay::tools {
namespace {

constexpr double kSeconds = 60;   // where neither cases nor time are named
constexpr double kLongest = 1e6;  // 11 days

/// "60", "60s", "5m", "2h" in seconds.
double seconds_of(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string unit(end, text.data() + text.size());
  const double factor = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : NAN;
  const double seconds = value * factor;
  if (error != std::errc{} || !(seconds > 0) || seconds > kLongest)
    throw BadInput(fmt::format("--time '{}': want seconds, or a number with s, m or h, above 0 and at most {:g} s", shown(text), kLongest));
  return seconds;
}

/// The subjects of the contract, or those of them that are named.
std::vector<const Subject*> subjects_of(const FuzzOptions& options) {
  if (!find<Contract>(options.contract)) {
    std::string all;
    for (const Contract& c : registry<Contract>()) all += (all.empty() ? "" : ", ") + c.name;
    throw BadInput(fmt::format("unknown contract '{}': want one of {}", shown(options.contract), all));
  }
  std::vector<const Subject*> chosen;
  std::string all;
  for (const Subject& s : registry<Subject>())
    if (s.contract == options.contract) {
      all += (all.empty() ? "" : ", ") + s.name;
      if (options.subject.empty() ? options.plugins.empty() || !s.plugin.empty() : matches(options.subject, s.name)) chosen.push_back(&s);
    }
  if (chosen.empty()) throw BadInput(fmt::format("{} has no subject '{}': want one of {}", options.contract, shown(options.subject), all));
  return chosen;
}

Tensors operands_of(const properties::Finding& f) {
  Tensors operands;
  const Case& c = f.laws.front().smallest.problem;
  for (TensorSpec& spec : c.definition().tensors(c.parameters))
    for (const properties::Contents& one : f.contents) {
      if (one.tensor != spec.name) continue;
      operands.push_back(make_tensor(spec));
      for (int64_t i = 0; i < spec.elements(); i++) operands.back().set_code(i / spec.width(), i % spec.width(), one.codes.at(size_t(i)));
    }
  return operands;
}

/// Writes what a line cannot hold. The file's path by finding; empty where its contents were not reduced.
std::vector<std::string> write_contents(const std::vector<properties::Finding>& findings, const std::string& folder) {
  std::vector<std::string> paths;
  for (const properties::Finding& f : findings) {
    paths.emplace_back();
    if (folder.empty() || f.contents.empty()) continue;
    const Reproducer& r = f.laws.front().smallest;
    paths.back() = fmt::format("{}/{}-{}-{}.h5", folder, f.subject, r.law, paths.size());
    golden::write_contents(paths.back(), {.reproducer = r, .reason = f.contents_reason, .operands = operands_of(f)});
  }
  return paths;
}

/// Those that the findings were first seen with: larger than what they shrink to.
std::vector<Case> cases_of(const properties::Fuzzed& fuzzed) {
  std::vector<Case> cases;
  for (const properties::Finding& f : fuzzed.findings)
    for (const properties::Accusation& a : f.laws) cases.push_back(parse_case(a.first));
  return cases;
}

}  // namespace

int fuzz(const FuzzOptions& options) {
  const Plugins plugins = load_plugins(options.plugins, options.backend, options.image);
  const Backend backend = plugins.backend;
  properties::FuzzPlan plan{.subjects = subjects_of(options), .seed = options.seed, .cases = options.cases};
  if (options.time) plan.seconds = seconds_of(*options.time);
  if (plan.seconds == 0 && plan.cases == 0) plan.seconds = kSeconds;
  plan.jobs = options.jobs > 0 ? options.jobs : int(std::max(1u, std::thread::hardware_concurrency()));
  plan.multiply_adds = options.multiply_adds > 0 ? options.multiply_adds : properties::fuzzed_work(*find<Contract>(options.contract), backend);
  plan.limits = limits_of(options.isolation, backend);
  plan.contents = !options.out.empty(), plan.journal = options.journal;
  plan.ledger = options.ledger.empty() ? properties::committed_ledger() : properties::load_ledger(options.ledger);
  std::vector<std::string> inputs = options.plugins;
  inputs.insert(inputs.end(), {options.journal, options.image, options.ledger});
  report::check_outputs({{"--json", options.json}, {"--report", options.report}}, inputs);
  if (!options.out.empty()) golden::check_folder(options.out);

  ProgressBar bar(plan.cases ? "cases" : "seconds");
  const auto show = [&](int64_t done, int64_t all, double seconds) {
    if (all)
      bar.show(double(done), size_t(all), options.contract);
    else
      bar.show(std::min(std::floor(seconds), plan.seconds), size_t(std::ceil(plan.seconds)),
               fmt::format("{} cases of {}", done, options.contract));
  };
  report::FuzzReport report{
      .seed = plan.seed, .backend = std::string(name(backend)), .jobs = plan.jobs, .journal = options.journal, .image = options.image};
  const BenchSettings settings{.backend = backend, .schedule = options.schedule, .image = options.image};
  report.fuzzed = properties::fuzz(plan, settings, show);
  bar.show(1, 1, "");
  report.files = write_contents(report.fuzzed.findings, options.out);

  std::vector<std::string> notes;
  if (!options.report.empty()) {
    report.version = ASSAY_VERSION, report.device = described(settings.backend);
    report.portraits = in_depth(plan.subjects, report.fuzzed.cells, cases_of(report.fuzzed), settings, plan.limits, notes);
  }

  fmt::print("{}", report::to_text(report, isatty(STDOUT_FILENO)));
  for (const std::string& note : notes) fmt::print("\n{}\n", note);
  if (!options.json.empty()) report::write_file(options.json, report::to_json(report));
  if (!options.report.empty()) report::write_file(options.report, report::to_html(report));
  return report::exit_code(report.fuzzed.cells);
}

}  // namespace assay::tools
