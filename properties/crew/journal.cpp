#include "properties/crew/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "fixtures/case/shown.hpp"
#include "oracles/parameters.hpp"
#include "properties/crew/hashes.hpp"

namespace assay::properties {
namespace {

constexpr std::string_view kForm = "journal, form 2";
constexpr size_t kHash = 16;  // digits

[[noreturn]] void complain(const std::string& path, const std::string& what) { throw BadInput(fmt::format("journal {}: {}", path, what)); }

std::string system_reason() { return std::generic_category().message(errno); }

std::string contents(int file, const std::string& path) {
  std::string all;
  char buffer[1 << 16];
  for (ssize_t n; (n = ::read(file, buffer, sizeof buffer)) != 0;) {
    if (n < 0) complain(path, "cannot be read: " + system_reason());
    all.append(buffer, size_t(n));
  }
  return all;
}

}  // namespace

void Journal::open(const std::string& name, const std::string& command, const std::string& owner) {
  path = name;
  file = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
  if (file < 0) complain(path, "cannot be written: " + system_reason());
  struct stat status {};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) complain(path, "is not a regular file");
  struct flock lock {
    .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0, .l_pid = 0
  };  // children do not inherit it
  if (fcntl(file, F_SETLK, &lock) != 0) complain(path, "another run is writing to it");
  read(command, owner);
}

Journal::~Journal() {
  if (file >= 0) close(file);
}

void Journal::read(const std::string& command, const std::string& owner) {
  const std::string first_key = fmt::format("{} {}", command, kForm), first_line = first_key + "\t" + owner;
  auto no_journal = [&] { complain(path, fmt::format("is no journal of {}: name another file", command)); };
  const std::string all = contents(file, path);
  size_t at = 0;
  for (int line = 1; at < all.size(); line++) {
    const size_t end = all.find('\n', at);
    if (end == all.npos) {  // torn: by a kill, or the file is something else
      if (line == 1 && !fmt::format("{:016x} {}", hash_of_text(first_line, 0), first_line).starts_with(all)) no_journal();
      break;
    }
    const std::string_view text = std::string_view(all).substr(at, end - at);
    const size_t tab = text.find('\t');
    const bool whole = text.size() > kHash && text[kHash] == ' ' && tab != text.npos && tab > kHash;
    const std::string key(whole ? text.substr(kHash + 1, tab - kHash - 1) : ""), value(whole ? text.substr(tab + 1) : "");
    if (line == 1 && key != first_key) no_journal();
    hash = hash_of_text(text.substr(std::min(kHash + 1, text.size())), hash);
    if (!whole || text.substr(0, kHash) != fmt::format("{:016x}", hash))
      complain(path, fmt::format("line {} is damaged, its hash is wrong: cut the file before it, or name another", line));
    if (line == 1 && value != owner)
      complain(path, fmt::format("is of another run ({}), this one is {}: name another file", printable(value), owner));
    if (line > 1) values[key] = last_value = value;
    at = end + 1;
  }
  if (at < all.size() && ftruncate(file, off_t(at)) != 0) complain(path, "cannot be cut: " + system_reason());
  if (at == 0) add(first_key, owner);
}

const std::string* Journal::find(const std::string& key) const {
  const auto found = values.find(key);
  return found == values.end() ? nullptr : &found->second;
}

void Journal::add(const std::string& key, const std::string& value) {
  if (file < 0) return;
  const std::string text = key + "\t" + value;
  hash = hash_of_text(text, hash);
  const std::string line = fmt::format("{:016x} {}\n", hash, text);
  const ssize_t written = ::write(file, line.data(), line.size());
  if (written != ssize_t(line.size())) complain(path, "cannot be written: " + (written < 0 ? system_reason() : "the disk is full"));
}

}  // namespace assay::properties
