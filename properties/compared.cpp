#include "properties/compared.hpp"

#include <algorithm>
#include <cmath>

namespace assay::properties {

ComparedOutput compared(const Subject& subject, const Case& c, const Tensors& before, const Run& run, const Computed& sample) {
  const Step& step = c.definition().steps.back();
  if (!run.error.empty() || step.compare == Compare::bits) return {};
  const Arithmetic arithmetic = subject.arithmetic(c.parameters);
  const Problem problem{c.parameters, before, run.outputs, arithmetic};
  const Tensor& y = tensor(run.outputs, step.tensor);
  ComparedOutput all{.format = y.spec.format};
  for_each_expected(step, step.prepare(problem), c.parameters, y.spec, [&](int64_t row, int64_t column, const Expected& e) {
    for (const Computed& wanted : {run.computed, sample})
      if (wanted && !wanted(y.spec.name, row, column)) return;
    all.elements.push_back({.found = y.value(row, column),
                            .expected = decode(all.format, encode(all.format, e.value, y.spec.overflow)),
                            .exact = e.value,
                            .magnitude = std::max(e.magnitude, std::fabs(e.value))});
  });
  return all;
}

std::vector<bool> ask_others(const ComparedOutput& output) {
  std::vector<bool> answers;
  for (const AcceptRule& rule : accept_rules()) answers.push_back(rule.accepts(output.elements, output.format));
  return answers;
}

}  // namespace assay::properties
