#include "properties/portrait/look.hpp"

#include <algorithm>
#include <cmath>

#include "fixtures/judge/sample.hpp"
#include "properties/compared.hpp"

namespace assay::properties {
namespace {

/// Of a step that is being looked at.
struct Open {
  StepLook look;
  TensorSpec spec;
  std::vector<Seen> elements;
  double least = -INFINITY;  // the smallest share among the worst, once they are enough
};

EdgeElement edge_of(const Session& s, const Element& e) {
  const TensorSpec& spec = s.found.spec;
  std::string place = s.where(e.row, e.column);
  place.erase(0, place.find(": ") + 2);
  return {.place = std::move(place),
          .found = shown(spec, e.weighed.got),
          .legal = shown(spec, e.weighed.legal),
          .exact = e.weighed.value,
          .bound = e.weighed.bound,
          .share = e.share,
          .right = e.weighed.right};
}

void note_worst(Open& open, const Session& s, const Element& e) {
  auto& worst = open.look.worst;
  if (e.share == -INFINITY || (worst.size() == kWorst && !(e.share > open.least))) return;
  const auto after = std::ranges::find_if(worst, [&](const EdgeElement& other) { return other.share < e.share; });
  worst.insert(after, edge_of(s, e));
  if (worst.size() > kWorst) worst.pop_back();
  open.least = worst.back().share;
}

void note_whole(Shares& whole, const TensorSpec& spec, const Weighed& w) {
  const double y = decode(spec.format, w.got), e = w.bound.total();
  if (!std::isfinite(y) || !(e > 0)) return;
  whole.add(std::fabs(y - w.value) / (e + half_gap(spec.format, w.got, w.value)), w.right);
}

void add(Open& open, const Session& s, const Element& e) {
  StepLook& look = open.look;
  open.elements[size_t(e.row * open.spec.width() + e.column)] = e.weighed.right ? Seen::unhit : Seen::hit;
  look.looked_at++, look.wrong += !e.weighed.right;
  note_worst(open, s, e);
  if (!e.compared) return;
  look.shares.add(e.share, e.weighed.right);
  note_whole(look.whole, open.spec, e.weighed);
}

}  // namespace

int64_t Look::wrong() const {
  int64_t all = 0;
  for (const StepLook& s : steps) all += s.wrong;
  return all;
}

Look look(Bench& bench, const Subject& subject, const Case& c, std::string why, double work) {
  Look result{.line = to_line(c), .why = std::move(why)};
  const Run& run = bench.run(subject, c);
  result.error = run.error;
  if (!run.error.empty()) return result;
  const Tensors& before = bench.operands(c);
  const Computed sample = judged_sample(c, work);
  result.sampled = run.computed || sample;
  const Judging judging{.computed = run.computed, .sample = sample, .poison = run.poison};
  std::vector<Open> steps;
  examine(c.definition(), c.parameters, before, run.outputs, subject.arithmetic(c.parameters), judging,
          [&](const Session& s, const Element& e) {
            const TensorSpec& spec = s.found.spec;
            if (steps.empty() || steps.back().look.step != s.step.name)
              steps.push_back({.look = {.step = s.step.name, .tensor = spec.name, .format = spec.format},
                               .spec = spec,
                               .elements = std::vector<Seen>(size_t(spec.elements()))});
            add(steps.back(), s, e);
          });
  for (Open& step : steps) {
    if (step.look.wrong) step.look.map = failing_map(subject, c, step.spec, step.elements);
    result.steps.push_back(std::move(step.look));
  }
  if (const ComparedOutput output = compared(subject, c, before, run, sample); !output.elements.empty())
    result.accepted = ask_others(output);
  return result;
}

}  // namespace assay::properties
