// out[i] = in[i] rounded once, to nearest even, to a narrow format: the conversions that every quantised kernel ends in.
// Saturating, values beyond the largest finite one and infinities become it; otherwise infinity, or NaN where the format has none.
#include "oracles/arithmetic/wide.hpp"
#include "oracles/contract.hpp"

namespace assay {
namespace {

Overflow overflow(const Parameters& p) { return p.whole("saturate") ? Overflow::saturate : Overflow::to_infinity; }

std::vector<TensorSpec> tensors(const Parameters& p) {
  const int64_t n = p.whole("n");
  auto in = rows_of({.name = "in", .format = Format::fp32, .offset = p.whole("offset"), .huge = 0x1p100, .tiny = 0x1p-100, .whole_range = true}, 1, n);
  auto out = rows_of({.name = "out", .role = Role::output, .format = *format_named(p.word("to")), .offset = p.whole("offset"), .overflow = overflow(p)}, 1, n);
  return {in, out};
}

Oracle oracle(const Problem& problem) {
  const Tensor& in = tensor(problem.before, "in");
  auto expect = [&in](int64_t row, std::span<const int64_t> columns, std::span<Expected> out) {
    for (size_t i = 0; i < columns.size(); i++) out[i] = {.value = in.value(row, columns[i])};
  };
  return {by_row(expect), [&in](int64_t row, int64_t column) { return decided(exactly(Wide(in.value(row, column)))); }};
}

Contract contract() {
  return {
      .name = "convert",
      .formula = "out[i] = in[i] rounded to nearest even",
      .parameters = {whole("n", 0, int64_t{1} << 40, 8, "elements"),
                     word("to", {"bf16", "fp16", "e4m3fn", "e5m2"}, "format of the result"),
                     whole("saturate", 0, 1, 0, "1: clamp to the largest finite value (FP8 only)"),
                     whole("offset", 0, 63, 0, "elements by which the tensors miss a 256-byte boundary")},
      .refuses = [](const Parameters& p) -> std::optional<std::string> {
        if (p.whole("saturate") && info(*format_named(p.word("to"))).bits != 8) return "saturate=1 is for to=e4m3fn and to=e5m2";
        return {};
      },
      .tensors = tensors,
      .from_shapes = {{"n", "in", 1}},
      .steps = {{.name = "rounding", .tensor = "out", .signed_zero = true, .prepare = oracle}},
      .work =
          [](const Parameters& p) {
            const double n = double(p.whole("n"));
            return Work{.bytes = n * (4 + info(*format_named(p.word("to"))).bits / 8), .flops = n, .multiply_adds = n};
          },
      .alike =
          [](const Parameters& p) {
            return std::vector<Alike>{{"elements", p.whole("n"), {{"in"}, {"out"}}}};
          },
      .switches = {"saturate"},
  };
}

const Registered<Contract> registered{contract()};

}  // namespace
}  // namespace assay
