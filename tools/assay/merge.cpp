#include <fmt/format.h>
#include <unistd.h>

#include "tools/assay/commands.hpp"
#include "tools/report/shard.hpp"

namespace assay::tools {

int merge(const MergeOptions& options) {
  report::check_outputs({{"--json", options.json}, {"--junit", options.junit}}, options.files);
  std::vector<report::ShardReport> shards;
  for (const std::string& file : options.files) {
    shards.push_back(report::read_shard(file));
    if (const std::string& version = shards.back().report.version; version != ASSAY_VERSION)
      throw BadInput(fmt::format("report {}: was written by version {} of this program, this is {}", file, version, ASSAY_VERSION));
  }
  const report::Report whole = report::merged(std::move(shards));
  fmt::print("{}", report::to_text(whole, isatty(STDOUT_FILENO)));
  if (!options.json.empty()) report::write_file(options.json, report::to_json(whole));
  if (!options.junit.empty()) report::write_file(options.junit, report::to_junit(whole));
  return report::exit_code(whole.cells);
}

}  // namespace assay::tools
