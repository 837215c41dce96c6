// out[8i + j] = q[i, j] - zero, exact, in FP16 or BF16: what the magic-number dequantisation must give for every code at every place.
#include "oracles/arithmetic/wide.hpp"
#include "oracles/contract.hpp"
#include "oracles/packings/article.hpp"

namespace assay {
namespace {

std::vector<TensorSpec> tensors(const Parameters& p) {
  const int64_t n = p.whole("n");
  auto words = rows_of({.name = "words", .format = Format::int32, .meaning = Meaning::packed_int4, .offset = p.whole("w_offset")}, 1, n);
  auto out = rows_of({.name = "out", .role = Role::output, .format = *format_named(p.word("dtype")), .offset = p.whole("offset")}, 1, 8 * n);
  return {words, out};
}

Oracle oracle(const Problem& problem) {
  const Tensor& words = tensor(problem.before, "words");
  const auto zero = int(problem.parameters.whole("zero"));
  const Packing packing = article_codes(8 * words.spec.width(), 1);
  auto step = [&words, zero, packing](int64_t column) {
    const Place at = packing.place(column, 0);
    return double(int(words.code(at.row, at.column) >> at.shift & packing.mask()) - zero);
  };
  auto expect = [step](int64_t, std::span<const int64_t> columns, std::span<Expected> out) {
    for (size_t i = 0; i < columns.size(); i++) out[i] = {.value = step(columns[i])};
  };
  return {by_row(expect), [step](int64_t, int64_t column) { return decided(exactly(Wide(step(column)))); }};
}

Contract contract() {
  return {
      .name = "int4_dequant",
      .formula = "out[8i + j] = code j of words[i] - zero",
      .parameters = {whole("n", 0, int64_t{1} << 40, 8, "words of eight codes"),
                     word("dtype", {"bf16", "fp16"}, "format of the result"),
                     whole("zero", 0, 16, 8, "zero point: 8 for u4b8"),
                     whole("offset", 0, 127, 0, "elements by which out misses a 256-byte boundary"),
                     whole("w_offset", 0, 63, 0, "words by which words misses a 256-byte boundary")},
      .refuses = [](const Parameters&) { return std::optional<std::string>(); },
      .tensors = tensors,
      .from_shapes = {{"n", "words", 1}},
      .steps = {{.name = "difference", .tensor = "out", .signed_zero = true, .prepare = oracle}},
      .work =
          [](const Parameters& p) {
            const double n = double(p.whole("n"));
            return Work{.bytes = 20 * n, .flops = 8 * n, .multiply_adds = 8 * n};
          },
      .alike =
          [](const Parameters& p) {
            return std::vector<Alike>{{"words", p.whole("n"), {{"words"}, {"out", 8}}}};
          },
      .switches = {"zero"},
  };
}

const Registered<Contract> registered{contract()};

}  // namespace
}  // namespace assay
