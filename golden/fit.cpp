#include "golden/fit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fixtures/case/case.hpp"
#include "fixtures/case/shown.hpp"
#include "golden/file.hpp"
#include "golden/tile.hpp"

namespace assay::golden {
namespace {

/// A contract may have changed since: then its case lines no longer parse, or are written in another way.
void require_case_of(const Subject& subject, const Record& r) {
  const Case c = parse_case(r.line);
  if (c.contract != subject.contract)
    throw BadInput(fmt::format("case '{}' is of another contract than subject '{}', which implements {}", shown(r.line), subject.name,
                               subject.contract));
  if (to_line(c) != r.line) throw BadInput(fmt::format("case '{}' would be recorded as '{}'", shown(r.line), to_line(c)));
}

}  // namespace

Records read_records(const std::filesystem::path& file) {
  Records records = read_file(file);
  const auto complain = [&](const std::string& what) { throw BadInput(fmt::format("golden file {}: {}", file.string(), what)); };
  if (file.stem() != records.subject) complain(fmt::format("is of subject '{}': want it called {}.h5", records.subject, records.subject));
  const Subject* subject = find<Subject>(records.subject);
  if (!subject) complain(fmt::format("there is no subject '{}'", records.subject));
  if (records.cases.empty()) complain("holds no cases");
  try {
    backend_named(records.origin.backend);
    for (const Record& r : records.cases) require_case_of(*subject, r);
  } catch (const BadInput& e) {
    complain(fmt::format("{}: record anew", e.what()));
  }
  return records;
}

std::optional<std::string> unlike_recorded(const Record& record, const Records& of, const Subject& subject) {
  const Case c = parse_case(record.line);
  const bool sampled = c.definition().work(c.parameters).multiply_adds > of.multiply_adds;
  size_t outputs = 0;
  for (const TensorSpec& spec : c.definition().tensors(c.parameters)) {
    if (spec.role == Role::input) continue;
    outputs++;
    const auto t = std::ranges::find(record.tensors, spec.name, &TensorRecord::name);
    if (t == record.tensors.end()) return fmt::format("lacks output '{}'", spec.name);
    const Shape tile = tile_shape(spec, subject, c.parameters, sampled);
    if (t->format != spec.format || t->rows != spec.rows() || t->columns != spec.width())
      return fmt::format("holds output '{}' as {} x {} {}, want {} x {} {}", spec.name, t->rows, t->columns, info(t->format).name, spec.rows(),
                         spec.width(), info(spec.format).name);
    if (t->tile_rows != tile.rows || t->tile_columns != tile.columns)
      return fmt::format("holds output '{}' in tiles of {} x {}, want {} x {} (0: none)", spec.name, t->tile_rows, t->tile_columns, tile.rows,
                         tile.columns);
  }
  if (outputs != record.tensors.size()) return fmt::format("holds {} tensors, want {}", record.tensors.size(), outputs);
  return {};
}

}  // namespace assay::golden
