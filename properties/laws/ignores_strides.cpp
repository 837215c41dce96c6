// A view equals a copy: operands and results that lie with gaps between their rows, off a boundary, give the bits of the same operands in
// contiguous, aligned memory. Kernels choose the width of their accesses by what alignment and strides allow; the order of their sums and
// their roundings must not follow, unless they declare it: where the arithmetic declared for the view is another one than that of the copy,
// there is nothing to compare.
//
// `conforms` judges the view by itself, inside bounds that two orders of one sum both keep.
#include "properties/laws/reruns.hpp"
#include "properties/laws/sequence.hpp"

namespace assay {
namespace {

/// Whether two tensors differ in where they lie at most.
bool same_contents(const TensorSpec& a, const TensorSpec& b) {
  TensorSpec placed = a;
  placed.strides = b.strides, placed.offset = b.offset;
  return placed == b;
}

/// The case with every parameter that only says where operands lie (paddings, offsets) at 0.
Case contiguous(const Case& c) {
  Case copy = c;
  for (const Parameter& p : c.definition().parameters) {
    const auto* standard = std::get_if<int64_t>(&p.standard);
    if (!standard || *standard != 0 || copy.parameters.whole(p.name) == 0) continue;
    Case candidate = copy;
    candidate.parameters.set(p.name, int64_t{0});
    if (refusal(candidate)) continue;
    const auto here = copy.definition().tensors(copy.parameters), there = candidate.definition().tensors(candidate.parameters);
    if (here != there && std::ranges::equal(here, there, same_contents)) copy = candidate;
  }
  return copy;
}

Verdict check(Bench& bench, const Subject& subject, const Case& c) {
  const Case copy = contiguous(c);
  if (auto why = bench.refusal(subject, copy)) return skipped("the copy: " + *why);
  if (subject.arithmetic(c.parameters).text() != subject.arithmetic(copy.parameters).text())
    return skipped("the copy has another arithmetic, by its declaration");
  const Run& of_view = bench.run(subject, c);
  const Tensors operands = reruns::operands_of(copy, bench.operands(c));
  const Run of_copy = bench.run_on(subject, copy, operands);
  return sequence::compared(bench, subject, copy, operands, of_view, of_copy, "where operands are views",
                            "where they are contiguous copies");
}

const Registered<Law> registered{{
    .name = "ignores_strides",
    .claim = "strided and offset operands give the bits of contiguous, aligned ones",
    .applies = [](const Subject&, const Case& c) { return reruns::is_small(c) && contiguous(c) != c; },
    .check = check,
    .any_contents = true,
}};

}  // namespace
}  // namespace assay
