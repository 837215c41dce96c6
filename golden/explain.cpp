#include "golden/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "fixtures/judge/examine.hpp"

namespace assay::golden {
namespace {

constexpr size_t kHeldAgainstExact = 4096;  // changes of an output, the first ones: more would change no picture

using Place = std::tuple<std::string, int64_t, int64_t>;
using Errors = std::map<Place, double>;  // distance from the exact value

const Tensor* find(const Tensors& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, [](const Tensor& t) { return t.spec.name; });
  return found == all.end() ? nullptr : &*found;
}

void compare_all(Explanation& e, const Record& record, const Run& run) {
  if (record.tensors.size() != run.outputs.size()) {
    e.structure = fmt::format("{} outputs, recorded were {}", run.outputs.size(), record.tensors.size());
    return;
  }
  for (const TensorRecord& r : record.tensors) {
    const Tensor* t = find(run.outputs, r.name);
    if (!t) {
      e.structure = fmt::format("there is no output '{}' any more", r.name);
      return;
    }
    TensorDifference d{.spec = t->spec, .comparison = compare(r, *t, run.computed)};
    e.elements += d.comparison.elements;
    if (d.comparison.units == 0 && t->spec.elements() > 0) e.uncompared = r.name;
    if (!d.comparison.comparable) e.structure = d.comparison.difference;
    if (d.comparison.differing) e.tensors.push_back(std::move(d));
  }
}

void measure(TensorDifference& d) {
  for (const Change& c : d.comparison.changes)
    if (const std::optional<uint64_t> ulp = distance_in_ulp(d.spec.format, c.found, c.recorded))
      d.farthest = std::max(d.farthest, *ulp);
    else
      d.not_numbers++;
}

/// How far the elements in question are from their exact values; those of a step after a wrong one have none.
Errors errors_of(const Subject& subject, const Case& c, const Tensors& before, const Run& run, const Errors& wanted) {
  const Judging judging{.computed = run.computed,
                        .sample =
                            [&](std::string_view name, int64_t row, int64_t column) {
                              return wanted.count({std::string(name), row, column}) > 0;
                            },
                        .poison = run.poison,
                        .progress = {}};
  Errors errors;
  examine(c.definition(), c.parameters, before, run.outputs, subject.arithmetic(c.parameters), judging,
          [&](const Session& s, const Element& e) {
            const double y = decode(s.found.spec.format, e.weighed.got), x = e.weighed.value, error = std::fabs(y - x);
            errors[{s.found.spec.name, e.row, e.column}] = y == x || (std::isnan(y) && std::isnan(x)) ? 0
                                                           : std::isnan(error)                        ? INFINITY
                                                                                                      : error;
          });
  return errors;
}

/// Which side is nearer, where both have a distance.
void weigh_sides(TensorDifference& d, const Errors& found, const Errors& recorded) {
  for (const Change& c : d.comparison.changes) {
    const Place place{d.spec.name, c.row, c.column};
    const auto is = found.find(place), was = recorded.find(place);
    if (is == found.end() || was == recorded.end()) continue;
    (is->second < was->second ? d.found_nearer : is->second > was->second ? d.recorded_nearer : d.equal)++;
  }
}

/// The run as the record has it, as far as its codes are known.
Run as_recorded(const Run& found, const std::vector<TensorDifference>& differences) {
  Run run = found;
  for (const TensorDifference& d : differences)
    for (const Change& c : d.comparison.changes) tensor(run.outputs, d.spec.name).set_code(c.row, c.column, c.recorded);
  return run;
}

}  // namespace

Explanation explain(const Bench& bench, const Subject& subject, const Case& c, const Tensors& before, const Run& found,
                    const Record& recorded) {
  Explanation e;
  compare_all(e, recorded, found);
  if (!e.structure.empty() || e.tensors.empty()) return e;
  const Run was = as_recorded(found, e.tensors);
  e.found = bench.verdict_on(subject, c, before, found);
  if (std::ranges::all_of(e.tensors, [](const TensorDifference& d) { return d.comparison.knows_all(); }))
    e.recorded = bench.verdict_on(subject, c, before, was);
  Errors wanted;
  for (const TensorDifference& d : e.tensors)
    for (size_t i = 0; i < std::min(d.comparison.changes.size(), kHeldAgainstExact); i++)
      wanted[{d.spec.name, d.comparison.changes[i].row, d.comparison.changes[i].column}] = 0;
  const Errors is = errors_of(subject, c, before, found, wanted), were = errors_of(subject, c, before, was, wanted);
  for (TensorDifference& d : e.tensors) measure(d), weigh_sides(d, is, were);
  return e;
}

}  // namespace assay::golden
