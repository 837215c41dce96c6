// What lies where no element does (gaps between rows, memory before and after a tensor) and in rows that no result depends on (angles of
// positions without a token) changes no bit: not NaN, which a product with zero lets through, and not infinity, which a maximum does.
//
// What this adds: `guarded` sees writes to gaps alone, and fills the gaps of every run with the same pattern, mostly ordinary numbers,
// which a factor of zero hides from `conforms`. `clean` sees reads of gaps, on the emulator, and none of rows that are there and unused.
#include <cmath>

#include "properties/laws/reruns.hpp"
#include "properties/laws/sequence.hpp"

namespace assay {
namespace {

Tensors with_unused(const Case& c, const Tensors& all, double value) {
  Tensors operands = all;
  if (!c.definition().unused) return operands;
  for (const InputRow& unused : c.definition().unused(c.parameters, all)) {
    Tensor& t = tensor(operands, unused.tensor);
    for (int64_t column = 0; column < t.spec.width(); column++) t.set_code(unused.row, column, encode(t.spec.format, value));
  }
  return operands;
}

Verdict check(Bench& bench, const Subject& subject, const Case& c) {
  const Run& ordinary = bench.run(subject, c);
  Verdict all = skipped("no contents to try");
  const std::tuple<Gaps, double, std::string_view> contents[] = {{Gaps::nan, NAN, "with NaN"}, {Gaps::infinity, INFINITY, "with infinity"}};
  for (const auto& [gaps, value, with] : contents) {
    const Tensors operands = with_unused(c, bench.operands(c), value);
    const Run run = bench.run_on(subject, c, operands, gaps);
    all += sequence::compared(bench, subject, c, operands, ordinary, run, "with numbers in gaps and unused rows", with);
  }
  return all;
}

const Registered<Law> registered{{
    .name = "ignores_unused",
    .claim = "NaN and infinity in gaps, and in rows that nothing depends on, change no bit",
    .applies = [](const Subject&, const Case& c) { return reruns::is_small(c, reruns::kFewMultiplyAdds); },
    .check = check,
}};

}  // namespace
}  // namespace assay
