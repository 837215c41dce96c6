#include "properties/portrait/failing_map.hpp"

#include <algorithm>
#include <functional>
#include <map>

namespace assay::properties {
namespace {

/// Of elements that were looked at, how many are wrong.
struct Part {
  int64_t looked_at = 0, wrong = 0;

  void add(Seen s) { looked_at += s != Seen::nothing, wrong += s == Seen::hit; }
  double share() const { return looked_at ? double(wrong) / double(looked_at) : -1; }
};

int64_t divided_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

std::vector<double> shares_of(const std::vector<Part>& parts) {
  std::vector<double> shares;
  for (const Part& p : parts) shares.push_back(p.share());
  return shares;
}

/// An index of each element.
using IndexOf = std::function<int64_t(int64_t row, int64_t column)>;

FailingAxis axis_of(std::string name, int64_t length, const TensorSpec& spec, const std::vector<Seen>& elements, const IndexOf& index_of) {
  FailingAxis axis{.name = std::move(name), .length = length};
  std::vector<Seen> seen(size_t(length), Seen::nothing);
  const int64_t span = std::max<int64_t>(1, divided_up(length, kStrip));
  std::vector<Part> parts(static_cast<size_t>(divided_up(length, span)));
  for (int64_t i = 0; i < spec.elements(); i++) {
    const Seen s = elements[size_t(i)];
    if (s == Seen::nothing) continue;
    const int64_t index = index_of(i / spec.width(), i % spec.width());
    seen[size_t(index)] = std::max(seen[size_t(index)], s), parts[size_t(index / span)].add(s);
  }
  axis.hit = std::ranges::count(seen, Seen::hit), axis.which = in_words(seen), axis.shares = shares_of(parts);
  return axis;
}

/// What a parameter that gives a dimension its length counts.
std::string counted(const std::string& parameter) {
  if (parameter == "m" || parameter == "rows") return "row";
  if (parameter == "n" || parameter == "d") return "column";
  if (parameter == "tokens") return "token";
  if (parameter.ends_with("heads")) return "head";
  if (parameter == "head_size") return "element of a head";
  return parameter;
}

/// By dimension: the name of the parameter that has its length, "row" and "column" where none has.
std::vector<std::string> names_of(const Case& c, const TensorSpec& spec) {
  std::vector<std::string> names;
  for (size_t i = 0; i < spec.shape.size(); i++) {
    std::string name = i + 1 == spec.shape.size() ? "column" : i == 0 ? "row" : "index " + std::to_string(i);
    for (const Setting& s : c.parameters.all()) {
      const auto* length = std::get_if<int64_t>(&s.value);
      if (length && *length == spec.shape[i] && counted(s.name) != s.name && std::ranges::find(names, counted(s.name)) == names.end()) {
        name = counted(s.name);
        break;
      }
    }
    names.push_back(name);
  }
  return names;
}

void add_dimensions(FailingMap& map, const Case& c, const TensorSpec& spec, const std::vector<Seen>& elements) {
  const std::vector<std::string> names = names_of(c, spec);
  int64_t below = 1;  // rows that one step of a leading dimension spans
  for (size_t i = spec.shape.size(); i-- > 0;) {
    const int64_t length = spec.shape[i], span = below;
    const bool last = i + 1 == spec.shape.size();
    if (!last) below *= length;
    if (length > 1 || spec.shape.size() <= 2)
      map.axes.insert(map.axes.begin(), axis_of(names[i], length, spec, elements,
                                                [=](int64_t row, int64_t column) { return last ? column : row / span % length; }));
  }
}

/// The block that computes an element, where one alone does: numbered as they come, launch by launch.
void add_tiles(FailingMap& map, const Subject& subject, const Case& c, const TensorSpec& spec, const std::vector<Seen>& elements) {
  if (!subject.block_of) return;
  std::map<std::pair<uint64_t, uint64_t>, int64_t> numbers;
  std::vector<std::pair<uint64_t, uint64_t>> block_of(elements.size());
  for (size_t i = 0; i < elements.size(); i++) {
    const Block b = subject.block_of(c.parameters, spec.name, int64_t(i) / spec.width(), int64_t(i) % spec.width());
    if (b.count == 0) return;
    numbers[block_of[i] = {b.launch, b.index}] = 0;
  }
  int64_t next = 0;
  for (auto& [block, number] : numbers) number = next++;
  if (next > 1)
    map.axes.push_back(axis_of("tile", next, spec, elements,
                               [&](int64_t row, int64_t column) { return numbers[block_of[size_t(row * spec.width() + column)]]; }));
}

/// Columns that share a scale. Groups of a matrix product's operands run along k, and every result depends on all of them.
void add_groups(FailingMap& map, const Case& c, const TensorSpec& spec, const std::vector<Seen>& elements) {
  if (c.definition().product) return;
  for (const Setting& s : c.parameters.all()) {
    const auto* size = s.name == "group" ? std::get_if<int64_t>(&s.value) : nullptr;
    if (size && *size > 0 && spec.width() > *size)
      map.axes.push_back(axis_of("group", divided_up(spec.width(), *size), spec, elements,
                                 [size = *size](int64_t, int64_t column) { return column / size; }));
  }
}

}  // namespace

FailingMap failing_map(const Subject& subject, const Case& c, const TensorSpec& spec, const std::vector<Seen>& elements) {
  FailingMap map{.tensor = spec.name, .rows = spec.rows(), .columns = spec.width()};
  map.cell_rows = std::max<int64_t>(1, divided_up(map.rows, kGridRows)),
  map.cell_columns = std::max<int64_t>(1, divided_up(map.columns, kGridColumns));
  map.grid_rows = divided_up(map.rows, map.cell_rows), map.grid_columns = divided_up(map.columns, map.cell_columns);
  std::vector<Part> cells(size_t(map.grid_rows * map.grid_columns));
  for (int64_t i = 0; i < spec.elements(); i++) {
    const Seen s = elements[size_t(i)];
    map.looked_at += s != Seen::nothing, map.wrong += s == Seen::hit;
    cells[size_t(i / map.columns / map.cell_rows * map.grid_columns + i % map.columns / map.cell_columns)].add(s);
  }
  map.cells = shares_of(cells);
  add_dimensions(map, c, spec, elements);
  add_tiles(map, subject, c, spec, elements);
  add_groups(map, c, spec, elements);
  return map;
}

}  // namespace assay::properties
