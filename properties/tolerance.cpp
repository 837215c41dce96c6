#include "properties/tolerance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "fixtures/fill/fill.hpp"

namespace assay::properties {
namespace {

/// Parameters that say how large a problem is and where it lies, and nothing of its arithmetic.
bool is_extent(std::string_view name) {
  return name == "m" || name == "n" || name == "k" || name == "rows" || name == "tokens" || name.ends_with("_pad") || name.ends_with("offset");
}

std::string text_of(const Value& v) {
  if (const auto* word = std::get_if<std::string>(&v)) return *word;
  if (const auto* whole = std::get_if<int64_t>(&v)) return std::to_string(*whole);
  return fmt::format("{}", std::get<double>(v));
}

std::string settings_of(const Case& c) {
  std::string text;
  for (const Parameter& p : c.definition().parameters)
    if (const Value& v = c.parameters.at(p.name); v != p.standard && !is_extent(p.name)) text += (text.empty() ? "" : " ") + p.name + "=" + text_of(v);
  return text;
}

/// Of the elements of one step.
class Allowances {
 public:
  explicit Allowances(const TensorSpec& spec) : format(spec.format) {}

  void add(const Expected& e, std::optional<double> found) {
    if (!e.inside || !std::isfinite(e.value)) return;
    const double bound = e.bound.total(), magnitude = std::max(e.magnitude, std::fabs(e.value));
    widest = std::max(widest, bound);
    if (magnitude == 0) return;
    const double share = bound / magnitude;
    if (shares.empty() || share > largest) largest = share, dominant = e.bound.dominant();
    shares.push_back(share);
    if (e.magnitude == 0) return;
    result.allowed = std::max(result.allowed, (bound + unit_roundoff(format) * (std::fabs(e.value) + bound)) / magnitude);
    if (found) result.error = std::max(result.error, std::fabs(*found - e.value) / magnitude);
  }

  Allowance all() {
    if (shares.empty()) return {};
    const auto middle = shares.begin() + int64_t(shares.size() / 2);
    std::ranges::nth_element(shares, middle);
    Allowance a = result;
    a.median = *middle, a.largest = largest, a.dominant = dominant;
    if (widest == 0) return a;
    const double u = unit_roundoff(format), step = decode(format, 1);   // the smallest subnormal
    a.rtol = u, a.atol = (1 + u) * widest + step / 2;
    return a;
  }

 private:
  Format format;
  Allowance result;
  std::vector<double> shares;
  double largest = 0, widest = 0;
  Term dominant = Term::operation;
};

/// Operands of the case with fill normal, or those times 1/sqrt(K): fill sqrt_k where x is a number format, else the scales of its codes.
Tensors operands(Case c, bool sqrt_k) {
  const auto& product = c.definition().product;
  const bool by_scale = product && product->scaled != product->x;
  c.fill = sqrt_k && !by_scale ? Fill::sqrt_k : Fill::normal;
  Tensors all = make_tensors(c);
  if (sqrt_k && by_scale) {
    Tensor& scale = tensor(all, product->scaled);
    for (int64_t row = 0; row < scale.spec.rows(); row++)
      for (int64_t column = 0; column < scale.spec.width(); column++)
        scale.set_code(row, column, encode(scale.spec.format, scale.value(row, column) / std::sqrt(double(c.parameters.whole("k")))));
  }
  return all;
}

/// The allowances of every step that compares values, on outputs that are the rounded exact values. `outputs`: what
/// a kernel left (empty: none ran).
std::map<std::string, Allowance> allowances(const Case& c, const Tensors& before, const Arithmetic& arithmetic, const Tensors& outputs) {
  const Contract& contract = c.definition();
  Tensors after;
  for (const Tensor& t : before)
    if (t.spec.role != Role::input) after.push_back(t);
  std::map<std::string, Allowance> found;
  for (const Step& step : contract.steps) {
    if (step.compare == Compare::bits) continue;
    const Problem problem{c.parameters, before, after, arithmetic};
    Tensor out = tensor(after, step.tensor);
    Allowances all(out.spec);
    for_each_expected(step, step.prepare(problem), c.parameters, out.spec, [&](int64_t row, int64_t column, const Expected& e) {
      all.add(e, outputs.empty() ? std::nullopt : std::optional(tensor(outputs, step.tensor).value(row, column)));
      out.set_code(row, column, encode(out.spec.format, e.value, out.spec.overflow));
    });
    tensor(after, step.tensor) = std::move(out);
    found[step.name] = all.all();
  }
  return found;
}

/// What the subject makes of these operands, if it can run here.
std::optional<Run> run(Bench& bench, const Subject& subject, const Case& c, const Tensors& before) {
  if (bench.refusal(subject, c)) return {};
  return bench.run_on(subject, c, before);
}

/// The share of its bound that a run used.
double used(const Subject& subject, const Case& c, const Tensors& before, const Run& run) {
  const Verdict v = judge(c.definition(), c.parameters, before, run.outputs, subject.arithmetic(c.parameters), {.computed = run.computed});
  if (!run.error.empty() || v.outcome != Outcome::pass)
    throw BadInput(fmt::format("{} does not conform on '{}': {}", subject.name, to_line(c), run.error.empty() ? v.reason : run.error));
  return std::max(0.0, v.worst_share);
}

/// All subjects of one arithmetic, run where `runs`.
std::map<std::string, Allowance> measured(const std::vector<const Subject*>& subjects, const Case& c, const Tensors& before, const BenchSettings& settings,
                                          bool runs) {
  std::map<std::string, Allowance> all;
  for (const Subject* subject : subjects) {
    Bench bench(settings);
    const std::optional<Run> left = runs ? run(bench, *subject, c, before) : std::nullopt;
    if (!left && !all.empty()) continue;
    for (auto& [step, a] : allowances(c, before, subject->arithmetic(c.parameters), left ? left->outputs : Tensors())) {
      if (left && a.largest > 0) a.used = used(*subject, c, before, *left);
      const auto [known, is_new] = all.emplace(step, a);
      if (!is_new) known->second.used = std::max(known->second.used, a.used), known->second.error = std::max(known->second.error, a.error);
    }
  }
  return all;
}

/// Subjects of a case that declare the same arithmetic share their rows.
std::vector<std::vector<const Subject*>> alike(const Case& c, const std::vector<const Subject*>& subjects) {
  std::vector<std::vector<const Subject*>> all;
  std::map<std::string, size_t> known;
  for (const Subject* s : subjects) {
    if (s->contract != c.contract || (s->refuses && s->refuses(c.parameters))) continue;
    const auto [place, is_new] = known.emplace(s->arithmetic(c.parameters).text(), all.size());
    if (is_new) all.emplace_back();
    all[place->second].push_back(s);
  }
  return all;
}

std::vector<Tolerance> rows_of(const Case& c, const std::vector<const Subject*>& among, const BenchSettings& settings, bool runs) {
  const Tensors before[] = {operands(c, false), operands(c, true)};
  for (const Step& step : c.definition().steps)
    if (tensor(before[0], step.tensor).spec.elements() == 0)
      throw BadInput(fmt::format("'{}' has no results, and so no tolerance: want a case with some", to_line(c)));
  std::vector<Tolerance> all;
  for (const auto& subjects : alike(c, among)) {
    std::map<std::string, Allowance> of[2];
    std::string names;
    for (int i : {0, 1}) of[i] = measured(subjects, c, before[i], settings, runs);
    for (const Subject* subject : subjects) names += (names.empty() ? "" : ", ") + subject->name;
    for (const Step& step : c.definition().steps)
      if (of[0].contains(step.name))
        all.push_back({.contract = c.contract, .step = step.name, .subjects = names, .settings = settings_of(c),
                       .k = c.definition().product ? c.parameters.whole("k") : 0, .format = tensor(before[0], step.tensor).spec.format,
                       .normal = of[0][step.name], .sqrt_k = of[1][step.name]});
  }
  return all;
}

}  // namespace

std::vector<Tolerance> tolerances(const TolerancePlan& plan, const BenchSettings& settings,
                                  const std::function<void(double, size_t, const std::string&)>& progress) {
  std::vector<Tolerance> all;
  double done = 0;
  for (const Case& c : plan.suite.cases) {
    if (progress) progress(done++, plan.suite.cases.size(), to_line(c));
    const bool runs = plan.measure && (plan.multiply_adds == 0 || c.definition().work(c.parameters).multiply_adds <= plan.multiply_adds);
    try {
      for (Tolerance& row : rows_of(c, plan.subjects, settings, runs)) all.push_back(std::move(row));
    } catch (const std::bad_alloc&) {
      throw BadInput(fmt::format("'{}' needs more memory than there is: want a smaller case", to_line(c)));
    }
  }
  if (progress) progress(done, plan.suite.cases.size(), "");
  return all;
}

}  // namespace assay::properties
