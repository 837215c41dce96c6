#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "fixtures/case/shown.hpp"
#include "tools/assay/commands.hpp"
#include "tools/assay/filter.hpp"
#include "tools/assay/progress.hpp"
#include "tools/report/mutants.hpp"
#include "tools/report/report.hpp"

namespace assay::tools {
namespace {

/// Files of the folder whose mutants a pattern names. By kernel only as far as a file can be read.
std::vector<std::filesystem::path> files_named(const std::vector<std::string>& patterns, const std::string& folder) {
  std::vector<std::filesystem::path> all, chosen;
  try {
    all = properties::mutant_files(folder);
  } catch (const std::runtime_error& e) {
    throw BadInput(e.what());
  }
  auto kernel_of = [](const std::filesystem::path& path) -> std::string {
    try {
      return properties::load_mutant(path).kernel;
    } catch (const std::runtime_error&) {
      return {};
    }
  };
  std::set<std::string> met;
  for (const auto& path : all) {
    const std::string name = path.stem().string(), kernel = kernel_of(path);
    bool named = patterns.empty();
    for (const std::string& pattern : patterns)
      if (matches(pattern, name) || matches(pattern, kernel)) named = true, met.insert(pattern);
    if (named) chosen.push_back(path);
  }
  for (const std::string& pattern : patterns)
    if (!met.contains(pattern)) throw BadInput(fmt::format("no mutant and no kernel with mutants in {} is called '{}'", folder, shown(pattern)));
  if (chosen.empty()) throw BadInput(fmt::format("no mutants in {}: want files <name>.toml", folder));
  std::ranges::stable_sort(chosen, {}, kernel_of);
  return chosen;
}

}  // namespace

int mutants(const MutantOptions& options) {
  const std::string folder = options.folder.empty() ? ASSAY_MUTANTS : options.folder;
  if (std::error_code error; options.folder.empty() && !std::filesystem::is_directory(folder, error))
    throw BadInput("planted faults are built in Assay's source tree, and this program was installed without it: want --folder");
  const std::vector<std::filesystem::path> all = files_named(options.filter, folder);
  std::vector<std::string> inputs;
  for (const auto& path : all) inputs.push_back(path.string());
  report::check_outputs({{"--json", options.json}, {"--markdown", options.markdown}}, inputs);
  properties::TrialSettings settings{.seed = options.seed, .cases = options.cases};
  if (std::filesystem::is_directory(ASSAY_KERNELS)) settings.kernels = ASSAY_KERNELS;
  std::vector<properties::Trial> trials;
  ProgressBar bar;
  for (const auto& path : all) {
    bar.show(double(trials.size()), all.size(), path.stem().string());
    trials.push_back(properties::try_mutant_file(path, settings));
  }
  bar.show(double(all.size()), all.size(), "");
  fmt::print("{}", report::to_text(trials));
  if (!options.json.empty()) report::write_file(options.json, report::to_json(trials));
  if (!options.markdown.empty()) report::write_file(options.markdown, report::to_markdown(trials));
  return report::exit_code(trials);
}

}  // namespace assay::tools
