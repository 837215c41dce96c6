#include "properties/portrait.hpp"

#include <algorithm>

namespace assay::properties {
namespace {

// Failing cases of different laws: the first ones tell most.
constexpr size_t kFailing = 3;
// Cases that are tried for a larger one that fails.
constexpr size_t kLarger = 6;

double work_of(const Case& c) { return c.definition().work(c.parameters).multiply_adds; }

int64_t results_of(const Case& c) {
  int64_t all = 0;
  for (const TensorSpec& t : c.definition().tensors(c.parameters)) all += t.role == Role::input ? 0 : t.elements();
  return all;
}

class Painter {
 public:
  Painter(const PortraitPlan& plan, const BenchSettings& settings) : plan(plan), subject(*plan.subject), bench(settings) {}

  Portrait portrait() {
    const Contract& contract = *find<Contract>(subject.contract);
    result = {.subject = subject.name, .contract = contract.name, .summary = subject.summary, .formula = contract.formula};
    look_at_failures();
    look_at_worst();
    const Case like = result.looks.empty() ? standard_case(contract) : parse_case(result.looks.front().line);
    if (!subject.refuses || !subject.refuses(like.parameters)) result.arithmetic = subject.arithmetic(like.parameters).text();
    result.ladder = ladder(bench, subject, like, plan.work);
    allow(like);
    return std::move(result);
  }

 private:
  const PortraitPlan& plan;
  const Subject& subject;
  Bench bench;
  Portrait result;

  bool is_known(const std::string& line) const {
    return std::ranges::any_of(result.looks, [&](const Look& l) { return l.line == line; });
  }

  void look_at(const Case& c, std::string why) {
    if (is_known(to_line(c)) || bench.refusal(subject, c)) return;
    result.looks.push_back(look(bench, subject, c, std::move(why), plan.work));
  }

  void look_at_failures() {
    for (const Cell& cell : plan.cells) {
      if (cell.verdict.outcome != Outcome::fail || result.looks.size() >= kFailing) continue;
      const bool is_case = !cell.first_failing.empty();
      look_at(is_case ? parse_case(cell.first_failing) : cell.smallest.problem, "the first that fails " + cell.law);
    }
    if (std::ranges::any_of(result.looks, [](const Look& l) { return l.wrong() > 0; })) look_at_larger();
  }

  /// The case with most results, of those that cost no more than the plan allows, in which some elements are wrong and some right.
  void look_at_larger() {
    std::vector<Case> cases;
    for (const Case& c : plan.cases)
      if (c.contract == subject.contract && work_of(c) <= plan.work && !bench.refusal(subject, c) && !is_known(to_line(c)))
        cases.push_back(c);
    std::ranges::stable_sort(cases, std::ranges::greater{}, results_of);
    for (size_t i = 0; i < std::min(cases.size(), kLarger); i++) {
      Look larger = look(bench, subject, cases[i], "the largest of those tried that shows it", plan.work);
      const bool some = std::ranges::any_of(larger.steps, [](const StepLook& s) { return s.wrong > 0 && s.wrong < s.looked_at; });
      if (!some) continue;
      result.looks.insert(result.looks.begin(), std::move(larger));
      return;
    }
  }

  void look_at_worst() {
    for (const Cell& cell : plan.cells)
      if (cell.law == "conforms" && cell.verdict.outcome != Outcome::fail && !cell.worst_case.empty())
        look_at(parse_case(cell.worst_case), cell.verdict.worst_share > 0 ? "the largest share of a bound" : "the first");
  }

  /// What an allclose would have to allow on the case, or on the rung of the ladder with the largest k where that is too large.
  void allow(Case c) {
    if (work_of(c) > plan.work || results_of(c) == 0) {
      if (result.ladder.rungs.empty()) return;
      c = parse_case(result.ladder.rungs.back().line);
    }
    const bool values = std::ranges::any_of(c.definition().steps, [](const Step& s) { return s.compare == Compare::value; });
    if (!values || (subject.refuses && subject.refuses(c.parameters))) return;
    const auto tensors = c.definition().tensors(c.parameters);
    for (const Step& s : c.definition().steps)
      for (const TensorSpec& t : tensors)
        if (t.name == s.tensor && t.elements() == 0) return;
    result.tolerances_of = to_line(c);
    result.tolerances = tolerances({.suite = {.name = "one case", .cases = {c}}, .subjects = {&subject}}, {});
  }
};

}  // namespace

Portrait portrait(const PortraitPlan& plan, const BenchSettings& settings) { return Painter(plan, settings).portrait(); }

std::vector<Portrait> portraits(const std::vector<const Subject*>& subjects, const std::vector<Cell>& cells, const std::vector<Case>& cases,
                                const BenchSettings& settings) {
  std::vector<Portrait> all;
  for (const Subject* subject : subjects) {
    PortraitPlan plan{.subject = subject, .cases = cases};
    std::ranges::copy_if(cells, std::back_inserter(plan.cells), [&](const Cell& c) { return c.subject == subject->name; });
    all.push_back(portrait(plan, settings));
  }
  return all;
}

}  // namespace assay::properties
