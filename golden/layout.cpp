#include "golden/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "fixtures/case/shown.hpp"
#include "golden/hdf5.hpp"

namespace assay::golden {
namespace {

constexpr int64_t kLargestExtent = int64_t{1} << 40;  // rows or columns: a case line allows no more

void write(Node at, const Origin& o) {
  at.set("backend", o.backend), at.set("card", o.card), at.set("toolkit", o.toolkit), at.set("date", o.date);
  at.set("compute_capability", uint64_t(o.compute_capability)), at.set("multiprocessors", uint64_t(o.multiprocessors));
  at.set("driver", uint64_t(o.driver)), at.set("runtime", uint64_t(o.runtime));
  if (!o.tool.empty()) at.set("tool", o.tool);
}

/// Versions and counts of a machine.
int small(const Node& at, const char* attribute) {
  const uint64_t value = at.number(attribute);
  if (value > 1000000) throw LayoutError(fmt::format("attribute '{}' is {}, want at most 1000000", attribute, value));
  return int(value);
}

Origin read_origin(const Node& at) {
  return {.backend = at.text("backend"),
          .card = at.text("card"),
          .toolkit = at.text("toolkit"),
          .date = at.text("date"),
          .tool = at.text_if_any("tool").value_or(""),
          .compute_capability = small(at, "compute_capability"),
          .multiprocessors = small(at, "multiprocessors"),
          .driver = small(at, "driver"),
          .runtime = small(at, "runtime")};
}

int64_t tiles(int64_t extent, int64_t tile) { return (extent + tile - 1) / tile; }

/// Words of the array, as rows and columns.
std::pair<int64_t, int64_t> array_shape(const TensorRecord& t) {
  return t.tiled() ? std::pair(tiles(t.rows, t.tile_rows), tiles(t.columns, t.tile_columns)) : std::pair(t.rows, t.columns);
}

std::string holds(const TensorRecord& t) { return t.tiled() ? "tile hashes" : "codes"; }

void write(Node at, const Reference& r) {
  at.set("judged", r.judged), at.set("nearest", r.nearest), at.set("single_legal", r.single_legal);
  at.set("reference_elements", r.rounded), at.set("reference_hash", r.hash);
  at.set("worst_share", r.worst_share), at.set("worst_term", r.worst_term);
  at.set("worst_row", uint64_t(r.worst_row)), at.set("worst_column", uint64_t(r.worst_column));
}

void write(Node group, const TensorRecord& t) {
  const auto [rows, columns] = array_shape(t);
  Node array = group.make_array(t.name, t.tiled() ? 8 : info(t.format).bits / 8, uint64_t(rows), uint64_t(columns), t.words);
  array.set("holds", holds(t));
  array.set("format", std::string(info(t.format).name));
  array.set("rows", uint64_t(t.rows)), array.set("columns", uint64_t(t.columns));
  array.set("tile_rows", uint64_t(t.tile_rows)), array.set("tile_columns", uint64_t(t.tile_columns));
  if (t.reference) write(array, *t.reference);
}

/// A count that is an attribute of an array.
int64_t extent(const Node& array, const char* attribute) {
  const uint64_t value = array.number(attribute);
  if (value > uint64_t(kLargestExtent)) throw LayoutError(fmt::format("attribute '{}' is {}", attribute, value));
  return int64_t(value);
}

std::optional<Reference> read_reference(const Node& array) {
  if (!array.has("judged")) return {};
  return Reference{.judged = array.number("judged"),
                   .nearest = array.number("nearest"),
                   .single_legal = array.number("single_legal"),
                   .rounded = array.number("reference_elements"),
                   .hash = array.number("reference_hash"),
                   .worst_share = array.real("worst_share"),
                   .worst_term = array.text("worst_term"),
                   .worst_row = extent(array, "worst_row"),
                   .worst_column = extent(array, "worst_column")};
}

/// Words of a record of codes are codes: what reads them takes that for granted.
void require_codes(const TensorRecord& t) {
  const int bits = info(t.format).bits;
  for (const uint64_t word : t.words)
    if (bits < 64 && word >> bits)
      throw LayoutError(fmt::format("tensor '{}' holds {:x}, which is no code of {}", t.name, word, info(t.format).name));
}

TensorRecord read_tensor(const Node& group, const std::string& name) {
  const Node array = group.array(name);
  const std::optional<Format> format = format_named(array.text("format"));
  if (!format) throw LayoutError(fmt::format("tensor '{}' has the unknown format '{}'", name, array.text("format")));
  TensorRecord t{.name = name,
                 .format = *format,
                 .rows = extent(array, "rows"),
                 .columns = extent(array, "columns"),
                 .tile_rows = extent(array, "tile_rows"),
                 .tile_columns = extent(array, "tile_columns")};
  if ((t.tile_rows == 0) != (t.tile_columns == 0)) throw LayoutError(fmt::format("tensor '{}' has tiles without extent", name));
  const auto [rows, columns] = array_shape(t);
  if (array.text("holds") != holds(t)) throw LayoutError(fmt::format("tensor '{}' holds '{}', want '{}'", name, array.text("holds"), holds(t)));
  t.words = array.words(uint64_t(rows), uint64_t(columns));
  if (!t.tiled()) require_codes(t);
  t.reference = read_reference(array);
  return t;
}

Record read_record(const Node& group) {
  Record r{.line = group.text("case"), .arithmetic = group.text("arithmetic"), .operands = group.number("operands")};
  r.verdict = group.text_if_any("verdict").value_or("");
  for (const std::string& name : group.children()) r.tensors.push_back(read_tensor(group, name));
  return r;
}

void write(Node root, const Records& records) {
  root.set("subject", records.subject), root.set("suite", records.suite), root.set("multiply_adds", records.multiply_adds);
  write(root, records.origin);
  size_t number = 0;
  for (const Record& r : records.cases) {
    Node group = root.make_group(fmt::format("{:04}", number++));
    group.set("case", r.line), group.set("arithmetic", r.arithmetic), group.set("operands", r.operands);
    if (!r.verdict.empty()) group.set("verdict", r.verdict);
    for (const TensorRecord& t : r.tensors) write(group, t);
  }
}

void write(Node root, const StoredContents& stored) {
  root.set("reproducer", stored.line), root.set("reason", stored.reason);
  Node group = root.make_group("operands");
  for (const TensorRecord& t : stored.operands) write(group, t);
}

template <class T>
std::vector<std::byte> bytes_of_tree(const T& value, const std::filesystem::path& scratch) try {
  Tree tree(scratch);
  write(tree.root(), value);
  return tree.finish();
} catch (const Hdf5Error& e) {
  throw LayoutError(e.what());
}

}  // namespace

std::vector<std::byte> bytes_of(const Records& records, const std::filesystem::path& scratch) { return bytes_of_tree(records, scratch); }
std::vector<std::byte> bytes_of(const StoredContents& stored, const std::filesystem::path& scratch) {
  return bytes_of_tree(stored, scratch);
}

StoredContents contents_of(std::span<const std::byte> bytes) try {
  const Tree tree(bytes);
  const Node root = tree.root(), group = root.group("operands");
  StoredContents stored{.line = root.text("reproducer"), .reason = root.text("reason"), .operands = {}};
  for (const std::string& name : group.children()) stored.operands.push_back(read_tensor(group, name));
  return stored;
} catch (const Hdf5Error& e) {
  throw LayoutError(e.what());
}

namespace {

/// What is shown to people: no escapes of terminals, and one line.
void require_line(const char* what, const std::string& text) {
  if (std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7F; }))
    throw LayoutError(fmt::format("{} '{}' holds control characters", what, printable(text)));
}

void require_sound(const Record& r) {
  require_line("arithmetic", r.arithmetic), require_line("verdict", r.verdict);
  for (const TensorRecord& t : r.tensors) require_line("tensor", t.name);
  if (!r.verdict.empty() && r.verdict != "pass" && !r.verdict.starts_with("FAIL: ") && !r.verdict.starts_with("untrusted: "))
    throw LayoutError(fmt::format("case '{}' has the verdict '{}': want pass, FAIL: reason or untrusted: reason", r.line, r.verdict));
}

void require_sound(const Records& records) {
  const Origin& o = records.origin;
  for (const auto& [what, text] : {std::pair{"subject", &records.subject}, {"suite", &records.suite}, {"backend", &o.backend}, {"card", &o.card},
                                   {"toolkit", &o.toolkit}, {"date", &o.date}, {"tool", &o.tool}})
    require_line(what, *text);
  if (!(records.multiply_adds >= 0) || std::isinf(records.multiply_adds))
    throw LayoutError(fmt::format("attribute 'multiply_adds' is {}", records.multiply_adds));
  std::set<std::string> lines;
  for (const Record& r : records.cases) {
    require_line("case", r.line);
    require_sound(r);
    if (!lines.insert(r.line).second) throw LayoutError(fmt::format("case '{}' is there twice", r.line));
  }
}

}  // namespace

Records records_of(std::span<const std::byte> bytes) try {
  const Tree tree(bytes);
  const Node root = tree.root();
  Records records{.subject = root.text("subject"),
                  .suite = root.text("suite"),
                  .multiply_adds = root.real("multiply_adds"),
                  .origin = read_origin(root)};
  for (const std::string& name : root.children()) records.cases.push_back(read_record(root.group(name)));
  require_sound(records);
  return records;
} catch (const Hdf5Error& e) {
  throw LayoutError(e.what());
}

}  // namespace assay::golden
