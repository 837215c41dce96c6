#include "golden/file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>

#include "fixtures/read_file.hpp"
#include "golden/hash.hpp"
#include "golden/layout.hpp"
#include "golden/rehearse.hpp"
#include "oracles/parameters.hpp"

namespace assay::golden {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;

constexpr size_t kBlock = 512;                // the smallest user block of HDF5
constexpr size_t kLargest = size_t{1} << 30;  // bytes of a file: some thousand times what a suite needs

/// What there is besides golden records: the words after "assay" in the file's first line, who writes it, and what to do if it is damaged.
struct Kind {
  const char *words, *is_none, *again;
};
constexpr Kind kRecords{"golden records", "is no golden file: want one that assay golden record wrote",
                        "fetch it again, or record anew with assay golden record"};
constexpr Kind kContents{"reproducer", "is no reproducer: want one that assay fuzz wrote",
                         "fetch it again, or repeat the assay fuzz that wrote it"};

[[noreturn]] void complain(const fs::path& path, const std::string& what) {
  throw BadInput(fmt::format("golden file {}: {}", path.string(), what));
}

std::string system_reason() { return std::generic_category().message(errno); }

/// The HDF5 part of a file whose block, length and hash are right.
std::span<const std::byte> content_of(const Kind& kind, const fs::path& path, const std::string& file) {
  const std::string block = file.substr(0, kBlock);
  const std::string start = fmt::format("assay {}, ", kind.words);
  int form = 0;
  size_t bytes = 0;
  unsigned long long hash = 0;
  if (!block.starts_with(start) || std::sscanf(block.c_str() + start.size(), "form %9d", &form) != 1) complain(path, kind.is_none);
  if (form != kForm)
    complain(path, fmt::format("has form {}, this program reads form {}: want a newer program, or records of this one", form, kForm));
  if (std::sscanf(block.c_str() + start.size(), "form %*d\nbytes %zu\nhash %16llx", &bytes, &hash) != 2)
    complain(path, fmt::format("its first lines are damaged: {}", kind.again));
  const std::span<const std::byte> content = std::as_bytes(std::span(file)).subspan(std::min(file.size(), kBlock));
  if (content.size() != bytes)
    complain(path, fmt::format("has {} bytes after its first {}, want {}: {}", content.size(), kBlock, bytes, kind.again));
  if (hash_of_bytes(content) != hash || block != block_of(kind.words, content))
    complain(path, fmt::format("is damaged, its hash is wrong: {}", kind.again));
  return content;
}

void write_bytes(const fs::path& path, const std::string& block, const Bytes& content) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (!file) complain(path, "cannot be written: " + system_reason());
  const bool whole = std::fwrite(block.data(), 1, block.size(), file) == block.size() &&
                     std::fwrite(content.data(), 1, content.size(), file) == content.size() && std::fflush(file) == 0;
  const std::string why = whole ? "" : system_reason();
  const bool closed = std::fclose(file) == 0;
  if (whole && closed) return;
  std::error_code ignored;
  fs::remove(path, ignored);
  complain(path, "cannot be written: " + (whole ? system_reason() : why));
}

/// What `of` makes of a file's HDF5 part. Rehearsed first: a hash keeps accidents out and no one who can compute it, and HDF5 1.10.8
/// crashes on some content whose checksums are right (tools/damage).
template <class F>
auto read_as(const Kind& kind, const fs::path& path, F&& of) {
  const std::string file = file_contents("golden file", path.string(), kLargest);
  const std::span<const std::byte> content = content_of(kind, path, file);
  if (const auto end = rehearse([&] { of(content); }, patience(content.size())))
    complain(path, fmt::format("is damaged behind its hash, {}: {}", *end, kind.again));
  try {
    return of(content);
  } catch (const LayoutError& e) {
    complain(path, fmt::format("{}: {}", e.what(), kind.again));
  }
}

/// Makes the folder, writes beside the path and renames.
template <class T>
void write_as(const Kind& kind, const fs::path& path, const T& value) {
  std::error_code error;
  if (!path.parent_path().empty()) fs::create_directories(path.parent_path(), error);
  if (error) complain(path, "its folder cannot be made: " + error.message());
  const fs::path beside = path.string() + ".part";
  Bytes content;
  try {
    content = bytes_of(value, path.string() + ".hdf5.part");
  } catch (const LayoutError& e) {
    complain(path, e.what());
  }
  write_bytes(beside, block_of(kind.words, content), content);
  fs::rename(beside, path, error);
  if (!error) return;
  const std::string why = error.message();
  fs::remove(beside, error);
  complain(path, "cannot be written: " + why);
}

}  // namespace

std::string block_of(std::string_view what, std::span<const std::byte> content) {
  std::string text = fmt::format("assay {}, form {}\nbytes {}\nhash {:016x}\n", what, kForm, content.size(), hash_of_bytes(content));
  text.resize(kBlock, '\0');
  return text;
}

Records read_file(const fs::path& path) { return read_as(kRecords, path, records_of); }
void write_file(const fs::path& path, const Records& records) { write_as(kRecords, path, records); }

StoredContents read_stored_contents(const fs::path& path) { return read_as(kContents, path, contents_of); }
void write_stored_contents(const fs::path& path, const StoredContents& stored) { write_as(kContents, path, stored); }

}  // namespace assay::golden
