#include "golden/tile.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "golden/hash.hpp"

namespace assay::golden {
namespace {

/// The elements of one tile.
struct Box {
  int64_t row = 0, column = 0, rows = 0, columns = 0;
};

/// Calls f(box) for each tile, row of tiles by row of tiles.
template <class F>
void for_each_tile(const TensorRecord& r, F&& f) {
  for (int64_t row = 0; row < r.rows; row += r.tile_rows)
    for (int64_t column = 0; column < r.columns; column += r.tile_columns)
      f(Box{row, column, std::min(r.tile_rows, r.rows - row), std::min(r.tile_columns, r.columns - column)});
}

/// Calls f(row, column, position in the tile) for its elements until one answers false.
template <class F>
bool for_each_element(const Box& box, F&& f) {
  for (int64_t i = 0; i < box.rows * box.columns; i++)
    if (!f(box.row + i / box.columns, box.column + i % box.columns, uint64_t(i))) return false;
  return true;
}

uint64_t hash_of(const Tensor& t, const Box& box) {
  uint64_t sum = 0;
  for_each_element(box, [&](int64_t row, int64_t column, uint64_t position) {
    sum += element_hash(position, canonical_code(t, row, column));
    return true;
  });
  return sum;
}

bool was_computed(const Tensor& t, const Box& box, const Computed& computed) {
  return !computed || for_each_element(box, [&](int64_t row, int64_t column, uint64_t) { return computed(t.spec.name, row, column); });
}

/// The one element that explains the difference of two hashes, if one alone does. Of wide formats the nearest codes are tried.
std::optional<Change> explanation(const Tensor& t, const Box& box, uint64_t found, uint64_t recorded) {
  constexpr uint64_t kReach = 1 << 15;
  std::optional<Change> element;
  const bool narrow = info(t.spec.format).bits <= 16;
  for_each_element(box, [&](int64_t row, int64_t column, uint64_t position) {
    const uint64_t code = canonical_code(t, row, column), wanted = recorded - found + element_hash(position, code);
    const uint64_t first = narrow ? 0 : code - std::min(code, kReach), last = narrow ? code_count(t.spec.format) : code + kReach;
    for (uint64_t other = first; other < last && !element; other++)
      if (element_hash(position, other) == wanted) element = {row, column, code, other};
    return !element;
  });
  return element;
}

// A tile takes some 50 ms to try (256 elements of 65536 codes): only the first few, and none after one with several changed elements.
constexpr size_t kExplainedTiles = 8;

std::string text(const Tensor& t, const Change& e) {
  const int digits = info(t.spec.format).bits / 4;
  return fmt::format("{} row {} column {} is {:0{}x}, recorded {:0{}x}", t.spec.name, e.row, e.column, e.found, digits, e.recorded, digits);
}

/// Marks the rows and columns of a unit that was compared.
void mark(Comparison& c, const Box& box, bool differs) {
  const Seen seen = differs ? Seen::hit : Seen::unhit;
  for (int64_t i = 0; i < box.rows; i++) c.rows[size_t(box.row + i)] = std::max(c.rows[size_t(box.row + i)], seen);
  for (int64_t i = 0; i < box.columns; i++) c.columns[size_t(box.column + i)] = std::max(c.columns[size_t(box.column + i)], seen);
  c.units++, c.elements += uint64_t(box.rows * box.columns), c.differing += differs;
}

void compare_codes(Comparison& c, const TensorRecord& r, const Tensor& t, const Computed& computed) {
  for (int64_t i = 0; i < r.rows * r.columns; i++) {
    const int64_t row = i / r.columns, column = i % r.columns;
    if (computed && !computed(r.name, row, column)) continue;
    const uint64_t code = canonical_code(t, row, column), was = r.words[size_t(i)];
    mark(c, {row, column, 1, 1}, code != was);
    if (code != was) c.changes.push_back({row, column, code, was});
  }
  if (c.differing) c.difference = fmt::format("{}; {} of {} elements differ", text(t, c.changes[0]), c.differing, c.units);
}

void compare_tiles(Comparison& c, const TensorRecord& r, const Tensor& t, const Computed& computed) {
  size_t next = 0;
  for_each_tile(r, [&](const Box& box) {
    const uint64_t was = r.words[next++];
    if (!was_computed(t, box, computed)) return;
    const uint64_t is = hash_of(t, box);
    mark(c, box, is != was);
    if (is == was || c.differing > kExplainedTiles || c.changes.size() + 1 < c.differing) return;
    const std::optional<Change> element = explanation(t, box, is, was);
    if (element) c.changes.push_back(*element);
    if (c.differing > 1) return;
    c.difference = element ? text(t, *element)
                           : fmt::format("{} rows {} to {}, columns {} to {} hash to {:016x}, recorded {:016x}", t.spec.name, box.row,
                                         box.row + box.rows - 1, box.column, box.column + box.columns - 1, is, was);
  });
  if (c.differing)
    c.difference += fmt::format("; {} of {} tiles of {} x {} elements differ", c.differing, c.units, r.tile_rows, r.tile_columns);
}

/// The largest step up to `most` with which tiles fill blocks of `block` out of `extent` elements and straddle none of them.
int64_t fitting(int64_t block, int64_t extent, int64_t most) {
  int64_t step = std::min(block, most);
  while (block < extent && block % step != 0) step--;
  return step;
}

}  // namespace

Shape tile_shape(const TensorSpec& spec, const Subject& subject, const Parameters& parameters, bool sampled) {
  if (spec.elements() <= kWholeElements) return {};
  const bool bounded = sampled && subject.block_of;
  auto block = [&](int64_t row, int64_t column) {  // only asked where there are bounds
    const Block b = subject.block_of(parameters, spec.name, row, column);
    return std::pair(b.launch, b.index);
  };
  int64_t columns = bounded ? 1 : spec.width(), rows = bounded ? 1 : spec.rows();
  while (columns < spec.width() && block(0, columns) == block(0, 0)) columns++;
  while (rows < spec.rows() && block(rows, 0) == block(0, 0)) rows++;
  Shape tile;
  tile.columns = fitting(columns, spec.width(), kTileElements);
  tile.rows = fitting(rows, spec.rows(), kTileElements / tile.columns);
  return tile;
}

TensorRecord recorded(const Tensor& t, Shape tile) {
  TensorRecord r{.name = t.spec.name,
                 .format = t.spec.format,
                 .rows = t.spec.rows(),
                 .columns = t.spec.width(),
                 .tile_rows = tile.rows,
                 .tile_columns = tile.columns};
  if (r.tiled())
    for_each_tile(r, [&](const Box& box) { r.words.push_back(hash_of(t, box)); });
  else
    for (int64_t row = 0; row < r.rows; row++)
      for (int64_t column = 0; column < r.columns; column++) r.words.push_back(canonical_code(t, row, column));
  return r;
}

Tensor restored(const TensorRecord& r, const TensorSpec& spec) {
  Tensor t = make_tensor(spec);
  for (int64_t i = 0; i < r.rows * r.columns; i++) t.set_code(i / r.columns, i % r.columns, r.words[size_t(i)]);
  return t;
}

Comparison compare(const TensorRecord& r, const Tensor& t, const Computed& computed) {
  Comparison c;
  if (r.name != t.spec.name || r.format != t.spec.format || r.rows != t.spec.rows() || r.columns != t.spec.width()) {
    c.comparable = false;
    c.units = c.differing = c.elements = uint64_t(t.spec.elements());
    c.difference = fmt::format("{} is {} x {} of {}, recorded was {}, {} x {} of {}", t.spec.name, t.spec.rows(), t.spec.width(),
                               info(t.spec.format).name, r.name, r.rows, r.columns, info(r.format).name);
    return c;
  }
  c.rows.resize(size_t(r.rows)), c.columns.resize(size_t(r.columns));
  if (r.tiled())
    compare_tiles(c, r, t, computed);
  else
    compare_codes(c, r, t, computed);
  return c;
}

std::optional<uint64_t> distance_in_ulp(Format format, uint64_t a, uint64_t b) {
  if (is_nan(format, a) || is_nan(format, b)) return {};
  const int64_t from = rank(format, a), to = rank(format, b);
  return from < to ? uint64_t(to) - uint64_t(from) : uint64_t(from) - uint64_t(to);
}

}  // namespace assay::golden
