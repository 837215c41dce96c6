// Every parameter that says what is computed (Contract::switches: a bias, zero points, act-order, an epsilon) matters: where a case sets it
// to something else than its standard value, some results must be others, and the kernel must have given those.
//
// What is asked here is asked of the exact values, not of a second run. The same operands are evaluated with the case's value and with the
// standard one, and the elements count whose legal values have nothing in common. A subject whose results there are all those of the
// standard value ignores the parameter, and is told so. `conforms` fails it as well: by its first wrong element, without the reason.
//
// What `conforms` cannot say is that such elements exist: data under which a bias drowns in the bound, or a suite that never sets it, let a
// kernel that ignores it pass. So a switch that a suite sets must matter in one of its cases at least, or what passes is untrusted; and a suite for
// CI must show every switch that the subject takes.
#include <cmath>
#include <numeric>

#include "fixtures/judge/legal.hpp"
#include "properties/laws/reruns.hpp"

namespace assay {
namespace {

std::string shown(const Parameter& p, const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return p.name + "=" + *text;
  const auto* number = std::get_if<int64_t>(&value);
  return number && p.high - p.low == 1 ? fmt::format("{}={}", p.name, *number) : p.name;
}

const Parameter& parameter(const Contract& contract, const std::string& name) {
  return *std::ranges::find(contract.parameters, name, &Parameter::name);
}

/// Values of a switch besides its standard one: all words, the other of two numbers, one end of a range.
std::vector<Value> others(const Parameter& p) {
  std::vector<Value> all;
  for (const std::string& word : p.words) all.push_back(word);
  if (std::holds_alternative<int64_t>(p.standard)) all = {Value{p.low}, Value{p.high}};
  if (std::holds_alternative<double>(p.standard)) all = {Value{p.real_high}};
  std::erase(all, p.standard);
  return all;
}

/// The case with a switch at its standard value; nothing if the operands and results of the case are not its own too.
std::optional<Case> without(const Case& c, const Parameter& p) {
  Case other = c;
  other.parameters.set(p.name, p.standard);
  if (refusal(other)) return {};
  const auto here = c.definition().tensors(c.parameters);
  for (TensorSpec& t : other.definition().tensors(other.parameters)) {
    const auto same = std::ranges::find(here, t.name, &TensorSpec::name);
    if (t.elements() == 0 && t.role == Role::input) continue;
    if (same == here.end()) return {};
    t.overflow = same->overflow;
    if (t != *same) return {};
  }
  return other;
}

/// What an element may be.
struct Allowed {
  bool known = false, nan = false;
  Legal legal;
};

Allowed allowed(const TensorSpec& spec, const Expected& e) {
  if (!e.inside || e.drifts_unknown) return {};
  if (std::isnan(e.value)) return {.known = true, .nan = true};
  const Legal legal = legal_range(spec, e);
  return {legal.known, false, legal};
}

bool are_apart(const Allowed& a, const Allowed& b) {
  if (!a.known || !b.known || (a.nan && b.nan)) return false;
  return a.nan != b.nan || a.legal.high < b.legal.low || b.legal.high < a.legal.low;
}

bool is_among(const TensorSpec& spec, const Allowed& a, uint64_t code) {
  return a.nan ? is_nan(spec.format, code) : is_legal(spec, a.legal, code);
}

/// Elements of the results that a switch decides, and those of them that are what they would be without. One that is not is enough.
struct Effect {
  uint64_t decided = 0, ignored = 0;
  bool heeded() const { return decided > ignored; }
};

void compare_codes(const Step& step, const Problem& with, const Problem& without, const Run& run, Effect& effect) {
  const Tensor& found = tensor(run.outputs, step.tensor);
  const auto [first, end] = columns_of(step, with.parameters, found.spec.width());
  for (int64_t row = 0; row < found.spec.rows() && !effect.heeded(); row++)
    for (int64_t column = first; column < end; column++) {
      if (run.computed && !run.computed(step.tensor, row, column)) continue;
      const uint64_t other = step.expected_code(without, row, column);
      if (step.expected_code(with, row, column) == other) continue;
      effect.decided++, effect.ignored += found.code(row, column) == other;
    }
}

void compare_values(const Step& step, const Problem& with, const Problem& without, const Overflow overflow, const Run& run,
                    Effect& effect) {
  constexpr int64_t kRows = 8;  // at once: oracles of products are slow row by row
  const Tensor& found = tensor(run.outputs, step.tensor);
  TensorSpec other = found.spec;
  other.overflow = overflow;
  const auto [first, end] = columns_of(step, with.parameters, found.spec.width());
  std::vector<int64_t> columns(size_t(end - first));
  std::iota(columns.begin(), columns.end(), first);
  const Oracle here = step.prepare(with), there = step.prepare(without);
  for (int64_t row = 0; row < found.spec.rows() && !effect.heeded(); row += kRows) {
    std::vector<int64_t> rows(size_t(std::min(kRows, found.spec.rows() - row)));
    std::iota(rows.begin(), rows.end(), row);
    std::vector<Expected> heeding(rows.size() * columns.size()), ignoring(heeding.size());
    here.expect(rows, columns, heeding), there.expect(rows, columns, ignoring);
    for (size_t i = 0; i < heeding.size(); i++) {
      const int64_t r = rows[i / columns.size()], column = columns[i % columns.size()];
      const Allowed without_it = allowed(other, ignoring[i]);
      if ((run.computed && !run.computed(step.tensor, r, column)) || !are_apart(allowed(found.spec, heeding[i]), without_it)) continue;
      effect.decided++, effect.ignored += is_among(other, without_it, found.code(r, column));
    }
  }
}

Effect effect_of(Bench& bench, const Subject& subject, const Case& c, const Case& other, const Run& run) {
  const Arithmetic arithmetic = subject.arithmetic(c.parameters), other_arithmetic = subject.arithmetic(other.parameters);
  const Problem with{c.parameters, bench.operands(c), run.outputs, arithmetic};
  const Problem without{other.parameters, bench.operands(c), run.outputs, other_arithmetic};
  const std::vector<TensorSpec> specs = other.definition().tensors(other.parameters);
  Effect effect;
  for (const Step& step : c.definition().steps) {
    if (effect.heeded()) break;
    if (step.compare == Compare::bits)
      compare_codes(step, with, without, run, effect);
    else
      compare_values(step, with, without, std::ranges::find(specs, step.tensor, &TensorSpec::name)->overflow, run, effect);
  }
  return effect;
}

Verdict check(Bench& bench, const Subject& subject, const Case& c) {
  const Run& run = bench.run(subject, c);
  if (!run.error.empty()) return failed(run.error);
  Verdict verdict;
  for (const std::string& name : c.definition().switches) {
    const Parameter& p = parameter(c.definition(), name);
    const auto other = c.parameters.at(name) == p.standard ? std::nullopt : without(c, p);
    if (!other) continue;
    const Effect effect = effect_of(bench, subject, c, *other, run);
    const std::string what = shown(p, c.parameters.at(name));
    verdict.tried.insert(what);
    if (effect.decided > 0 && effect.ignored == effect.decided)
      return failed(fmt::format("{} is ignored: all {} results that depend on it are what they would be without", what, effect.decided));
    verdict.tally.judged += effect.decided;
    if (effect.decided > 0) verdict.shown.insert(what);
  }
  if (verdict.tally.judged == 0)
    verdict.outcome = Outcome::skip, verdict.reason = "no result depends on a parameter that is not at its standard value";
  return verdict;
}

/// The switches that the subject takes; it may refuse the standard case for its size alone.
std::vector<std::string> must_show(const Subject& subject) {
  const Contract& contract = *find<Contract>(subject.contract);
  const Case standard = standard_case(contract);
  std::vector<std::string> all;
  for (const std::string& name : contract.switches)
    for (const Value& value : others(parameter(contract, name))) {
      Case c = standard;
      c.parameters.set(name, value);
      const bool taken = !subject.refuses || !subject.refuses(c.parameters) || subject.refuses(standard.parameters);
      const std::string what = shown(parameter(contract, name), value);
      if (taken && !refusal(c) && without(c, parameter(contract, name)) && std::ranges::find(all, what) == all.end()) all.push_back(what);
    }
  return all;
}

const Registered<Law> registered{{
    .name = "heeds",
    .claim = "every parameter that says what is computed changes results, and not in the exact values alone",
    .applies = [](const Subject&,
                  const Case& c) { return !c.definition().switches.empty() && reruns::is_small(c, reruns::kFewMultiplyAdds); },
    .check = check,
    .must_show = must_show,
}};

}  // namespace
}  // namespace assay
