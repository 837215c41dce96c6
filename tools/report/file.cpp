#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "oracles/parameters.hpp"
#include "tools/report/report.hpp"

namespace assay::report {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void complain(const std::string& path, const std::string& what) { throw BadInput(fmt::format("report {}: {}", path, what)); }
[[noreturn]] void complain_errno(const std::string& path) {
  complain(path, "cannot be written: " + std::generic_category().message(errno));
}

/// Where the bytes go first: beside the file, which may be a link; devices and pipes are written as they are, since a rename would
/// replace them.
std::string first_target(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status) ? path : path + ".part";
}

std::string behind_links(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  return error || !fs::is_regular_file(real, error) ? path : real.string();
}

/// Opened for writing, or null. Does not wait for somebody to read a pipe.
std::FILE* opened(const std::string& path, int flags) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC | flags, 0666);
  if (file < 0) return nullptr;
  fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK);
  return fdopen(file, "wb");
}

/// Writes and closes; errno says what failed.
bool written(const std::string& path, const std::string& contents) {
  std::FILE* file = opened(path, O_TRUNC);
  if (!file) return false;
  const bool whole = std::fwrite(contents.data(), 1, contents.size(), file) == contents.size() && std::fflush(file) == 0;
  const int why = errno;
  const bool closed = std::fclose(file) == 0;
  if (!whole) errno = why;
  return whole && closed;
}

/// The same for all ways to write a path, whether or not there is such a file.
fs::path resolved(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? fs::path(path) : real;
}

void check_writable(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) complain(path, "is a folder, want a file's path");
  const std::string target = behind_links(path), first = first_target(target);
  if (first == target) {  // a device or pipe: whoever reads it must not see it opened and closed
    if (access(target.c_str(), W_OK) != 0) complain_errno(path);
    return;
  }
  std::FILE* file = opened(first, 0);
  if (!file) complain_errno(path);
  std::fclose(file);
  fs::remove(first, error);
}

}  // namespace

void check_outputs(const std::vector<Output>& outputs, const std::vector<std::string>& inputs) {
  for (const Output& output : outputs) {
    if (output.path.empty()) continue;
    const fs::path path = resolved(output.path);
    for (const Output& other : outputs) {
      if (&other == &output) break;
      if (!other.path.empty() && resolved(other.path) == path)
        throw BadInput(fmt::format("{} and {} both name {}", other.option, output.option, output.path));
    }
    for (const std::string& input : inputs)
      if (!input.empty() && path == resolved(input))
        throw BadInput(fmt::format("{} {}: would overwrite what is read from {}", output.option, output.path, input));
    check_writable(output.path);
  }
}

void write_file(const std::string& path, const std::string& contents) {
  const std::string target = behind_links(path), first = first_target(target);
  if (written(first, contents) && (first == target || std::rename(first.c_str(), target.c_str()) == 0)) return;
  const int why = errno;
  std::error_code error;
  if (first != target) fs::remove(first, error);
  errno = why;
  complain_errno(path);
}

}  // namespace assay::report
