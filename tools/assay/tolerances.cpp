#include <fmt/format.h>

#include "fixtures/case/shown.hpp"
#include "tools/assay/commands.hpp"
#include "tools/assay/filter.hpp"
#include "tools/assay/progress.hpp"
#include "tools/report/report.hpp"
#include "tools/report/tolerances.hpp"

namespace assay::tools {

int tolerances(const ToleranceOptions& options) {
  const bool runs = options.backend != "none";
  if (runs && options.backend != "emu" && options.backend != "cuda")
    throw BadInput(fmt::format("backend '{}': want none, emu or cuda", shown(options.backend)));
  const BenchSettings settings{.backend = runs ? backend_named(options.backend) : Backend::emu, .workers = options.workers};
  const properties::TolerancePlan plan{.suite = load_suite(options.suite),
                                       .subjects = subjects_named(options.filter, "tolerances"),
                                       .measure = runs,
                                       .multiply_adds = is_emulated(settings.backend) ? options.multiply_adds : 0};
  const Device device(settings.backend);
  if (runs && !device.unavailable().empty()) throw BadInput(fmt::format("backend {}: {}", options.backend, device.unavailable()));
  report::check_outputs({{"--json", options.json}, {"--markdown", options.markdown}}, {options.suite});

  ProgressBar bar;
  report::ToleranceReport report{.suite = plan.suite.name};
  if (runs) report.measured_on = is_emulated(settings.backend) ? "the emulator" : device.describe().name;
  report.rows = properties::tolerances(plan, settings, [&](double done, size_t all, const std::string& what) { bar.show(done, all, what); });
  if (report.rows.empty()) throw BadInput(fmt::format("no subject named takes a case of suite {}", plan.suite.name));
  if (!options.json.empty()) report::write_file(options.json, report::to_json(report));
  if (!options.markdown.empty()) report::write_file(options.markdown, report::to_markdown(report));
  if (options.json.empty() && options.markdown.empty()) fmt::print("{}", report::to_markdown(report));
  return 0;
}

}  // namespace assay::tools
