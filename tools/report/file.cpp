#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "oracles/parameters.hpp"
#include "tools/report/report.hpp"

namespace assay::report {
namespace {

std::string beside(const std::string& path) { return path + ".part"; }

}  // namespace

void check_writable(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw BadInput(fmt::format("report {}: is a folder, want a file's path", path));
  if (!std::ofstream(beside(path))) throw BadInput(fmt::format("report {}: cannot be written there", path));
  std::filesystem::remove(beside(path), error);
}

void write_file(const std::string& path, const std::string& contents) {
  std::error_code error;
  {
    std::ofstream file(beside(path), std::ios::binary);
    file << contents;
    if (!file.flush()) error = std::make_error_code(std::errc::io_error);
  }
  if (!error) std::filesystem::rename(beside(path), path, error);
  if (!error) return;
  const std::string why = error.message();
  std::filesystem::remove(beside(path), error);
  throw BadInput(fmt::format("report {}: cannot be written: {}", path, why));
}

}  // namespace assay::report
