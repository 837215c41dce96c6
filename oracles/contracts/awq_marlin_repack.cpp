// out = the codes of an AWQ weight in Marlin's layout. A permutation of bits: every word has one legal value.
#include "oracles/contracts/repack.hpp"
#include "oracles/packings/awq.hpp"
#include "oracles/packings/marlin.hpp"

namespace assay {
namespace {

int bits_of(const Parameters& p) { return p.word("bits") == "8" ? 8 : 4; }
Packing source_of(const Parameters& p) { return awq_codes(bits_of(p), p.whole("k"), p.whole("n")); }
Packing target_of(const Parameters& p) { return marlin_codes(bits_of(p), p.whole("k"), p.whole("n")); }

std::vector<TensorSpec> tensors(const Parameters& p) {
  auto w = packed_tensor({.name = "w", .format = Format::int32, .meaning = Meaning::packed_int4}, source_of(p), p.whole("w_pad"));
  auto out = packed_tensor({.name = "out", .role = Role::output, .format = Format::int32}, target_of(p), p.whole("out_pad"));
  return {w, out};
}

Contract contract() {
  return {
      .name = "awq_marlin_repack",
      .formula = "out = marlin(q[k][n]), q the codes of AWQ's qweight",
      .parameters = {whole("k", 0, int64_t{1} << 30, 16, "rows: input features"),
                     whole("n", 0, int64_t{1} << 30, 64, "columns: output features"), word("bits", {"4", "8"}, "of a code"),
                     whole("w_pad", 0, 65536, 0, "words between rows of w"), whole("out_pad", 0, 65536, 0, "words between rows of out")},
      .refuses = [](const Parameters& p) { return refuses_marlin(p.whole("k"), p.whole("n")); },
      .tensors = tensors,
      .from_shapes = {{"k", "w", 0}, {"n", "w", 1, codes_in_words}},
      .steps = {{.name = "permutation",
                 .tensor = "out",
                 .compare = Compare::bits,
                 .expected_code =
                     [](const Problem& problem, int64_t row, int64_t column) {
                       return repacked_word(source_of(problem.parameters), target_of(problem.parameters), tensor(problem.before, "w"),
                                            nullptr, row, column);
                     }}},
      .work =
          [](const Parameters& p) {
            const double k = double(p.whole("k")), n = double(p.whole("n"));
            return Work{.bytes = 2 * k * n * bits_of(p) / 8, .multiply_adds = k * n};
          },
  };
}

const Registered<Contract> registered{contract()};

}  // namespace
}  // namespace assay
