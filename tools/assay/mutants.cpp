#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "fixtures/case/shown.hpp"
#include "tools/assay/commands.hpp"
#include "tools/assay/filter.hpp"
#include "tools/assay/progress.hpp"
#include "tools/report/mutants.hpp"
#include "tools/report/report.hpp"

namespace assay::tools {
namespace {

std::vector<properties::Mutant> mutants_named(const std::vector<std::string>& patterns, const std::string& folder) {
  std::vector<properties::Mutant> all, chosen;
  try {
    all = properties::load_mutants(folder);
  } catch (const std::exception& e) {
    throw BadInput(e.what());
  }
  for (const std::string& pattern : patterns)
    if (std::ranges::none_of(all, [&](const auto& m) { return matches(pattern, m.name) || matches(pattern, m.kernel); }))
      throw BadInput(fmt::format("no mutant and no kernel with mutants in {} is called '{}'", folder, shown(pattern)));
  for (const properties::Mutant& m : all)
    if (patterns.empty() || std::ranges::any_of(patterns, [&](const auto& p) { return matches(p, m.name) || matches(p, m.kernel); })) chosen.push_back(m);
  std::ranges::stable_sort(chosen, {}, &properties::Mutant::kernel);
  return chosen;
}

}  // namespace

int mutants(const MutantOptions& options) {
  for (const std::string& path : {options.json, options.markdown})
    if (!path.empty()) report::check_writable(path);
  const std::vector<properties::Mutant> all = mutants_named(options.filter, options.folder.empty() ? ASSAY_MUTANTS : options.folder);
  const properties::TrialSettings settings{.seed = options.seed, .cases = options.cases};
  std::vector<properties::Trial> trials;
  ProgressBar bar;
  for (const properties::Mutant& m : all) {
    bar.show(double(trials.size()), all.size(), m.name);
    trials.push_back(properties::try_mutant(m, settings));
  }
  bar.show(double(all.size()), all.size(), "");
  fmt::print("{}", report::to_text(trials));
  if (!options.json.empty()) report::write_file(options.json, report::to_json(trials));
  if (!options.markdown.empty()) report::write_file(options.markdown, report::to_markdown(trials));
  return report::exit_code(trials);
}

}  // namespace assay::tools
