#include "golden/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "golden/fit.hpp"
#include "oracles/parameters.hpp"

namespace assay::golden {

namespace fs = std::filesystem;

fs::path standard_folder() {
  std::error_code error;
  if (const char* chosen = std::getenv("ASSAY_RECORDS")) {
    if (!fs::is_directory(chosen, error)) throw BadInput(fmt::format("ASSAY_RECORDS={}: there is no such folder", chosen));
    return chosen;
  }
  const fs::path beside = fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "records";
  return fs::is_directory(beside, error) ? beside : fs::path(ASSAY_RECORDS_FOLDER);
}

fs::path place_of(const Records& r) {
  const std::string architecture =
      fmt::format("{}sm_{}", r.origin.backend == "cuda" ? "" : r.origin.backend + "_", r.origin.compute_capability);
  return fs::path(architecture) / fs::path(r.suite).stem() / (r.subject + ".h5");
}

std::vector<fs::path> files_beneath(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".h5") files.push_back(entry->path());
  if (error && error != std::errc::no_such_file_or_directory)
    throw BadInput(fmt::format("golden records {}: {}", folder.string(), error.message()));
  std::sort(files.begin(), files.end());
  return files;
}

const std::vector<Records>& standard_records(const std::string& subject) {
  static const std::vector<fs::path> files = files_beneath(standard_folder());
  static std::map<std::string, std::vector<Records>> known;
  const auto [entry, is_new] = known.try_emplace(subject);
  if (is_new)
    for (const fs::path& file : files)
      if (file.stem() == subject) entry->second.push_back(read_records(file));
  return entry->second;
}

}  // namespace assay::golden
