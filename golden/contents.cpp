#include "golden/contents.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "fixtures/case/shown.hpp"
#include "fixtures/given/given.hpp"
#include "fixtures/memory/room.hpp"
#include "golden/file.hpp"
#include "golden/tile.hpp"

namespace assay::golden {
namespace {

[[noreturn]] void complain(const std::filesystem::path& path, const std::string& what) {
  throw BadInput(fmt::format("reproducer {}: {}", path.string(), what));
}

/// Raw codes: a golden record takes all NaNs for one, a reproducer must not.
TensorRecord stored(const Tensor& t) {
  TensorRecord r{.name = t.spec.name, .format = t.spec.format, .rows = t.spec.rows(), .columns = t.spec.width(), .words = {}};
  for (int64_t row = 0; row < r.rows; row++)
    for (int64_t column = 0; column < r.columns; column++) r.words.push_back(t.code(row, column));
  return r;
}

/// Why a record is not of that tensor, or nothing. Asked before anything of its size is allocated.
std::string mismatch(const TensorRecord& r, const TensorSpec& spec) {
  if (!r.tiled() && r.format == spec.format && r.rows == spec.rows() && r.columns == spec.width()) return {};
  return fmt::format("operand '{}' is {} x {} {}, the case wants {} x {} {}", printable(r.name), r.rows, r.columns, info(r.format).name,
                     spec.rows(), spec.width(), info(spec.format).name);
}

}  // namespace

void write_contents(const std::filesystem::path& path, const Contents& c) {
  StoredContents s{.line = to_line(c.reproducer), .reason = c.reason, .operands = {}};
  for (const Tensor& t : c.operands)
    if (t.spec.role != Role::output) s.operands.push_back(stored(t));
  write_stored_contents(path, s);
}

Contents read_contents(const std::filesystem::path& path) {
  const StoredContents s = read_stored_contents(path);
  Contents c{.reproducer = {}, .reason = s.reason, .operands = {}};
  try {
    c.reproducer = parse_reproducer(s.line);
  } catch (const BadInput& e) {
    complain(path, e.what());
  }
  const std::vector<TensorSpec> specs = c.reproducer.problem.definition().tensors(c.reproducer.problem.parameters);
  if (auto why = no_room(specs, Backend::emu, {.host = host_memory()})) complain(path, *why);
  size_t used = 0;
  for (const TensorSpec& spec : specs) {
    if (spec.role == Role::output) {
      c.operands.push_back(make_tensor(spec));
      continue;
    }
    const auto found = std::ranges::find(s.operands, spec.name, &TensorRecord::name);
    if (found == s.operands.end()) complain(path, fmt::format("has no operand '{}', which the case wants", spec.name));
    if (const std::string why = mismatch(*found, spec); !why.empty()) complain(path, why);
    c.operands.push_back(restored(*found, spec));
    if (const std::string why = wrong_index(c.operands.back()); !why.empty()) complain(path, why);
    used++;
  }
  if (used != s.operands.size()) complain(path, fmt::format("has {} operands, the case wants {}", s.operands.size(), used));
  return c;
}

bool holds_contents(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::string start(std::string_view("assay reproducer,").size(), '\0');
  std::ifstream(path, std::ios::binary).read(start.data(), std::streamsize(start.size()));
  return start == "assay reproducer,";
}

void check_folder(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) complain(path, "the folder cannot be made: " + error.message());
  if (access(path.c_str(), W_OK | X_OK) != 0) complain(path, "the folder cannot be written to: " + std::generic_category().message(errno));
}

}  // namespace assay::golden
