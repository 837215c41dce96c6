// out = the codes of a GPTQ weight, rows in the order perm, in Marlin's layout. A permutation of bits: every word has one legal value.
#include "oracles/contracts/repack.hpp"
#include "oracles/packings/gptq.hpp"
#include "oracles/packings/marlin.hpp"

namespace assay {
namespace {

int bits_of(const Parameters& p) { return p.word("bits") == "8" ? 8 : 4; }
Packing source_of(const Parameters& p) { return gptq_codes(bits_of(p), p.whole("k"), p.whole("n")); }
Packing target_of(const Parameters& p) { return marlin_codes(bits_of(p), p.whole("k"), p.whole("n")); }

/// Without act-order perm has no elements.
std::vector<TensorSpec> tensors(const Parameters& p) {
  auto w = packed_tensor({.name = "w", .format = Format::int32, .meaning = Meaning::packed_int4}, source_of(p), p.whole("w_pad"));
  auto perm =
      rows_of({.name = "perm", .format = Format::int32, .meaning = Meaning::permutation}, 1, p.whole("act_order") ? p.whole("k") : 0);
  auto out = packed_tensor({.name = "out", .role = Role::output, .format = Format::int32}, target_of(p), p.whole("out_pad"));
  return {w, perm, out};
}

uint64_t expected(const Problem& problem, int64_t row, int64_t column) {
  const Parameters& p = problem.parameters;
  const Tensor* perm = p.whole("act_order") ? &tensor(problem.before, "perm") : nullptr;
  return repacked_word(source_of(p), target_of(p), tensor(problem.before, "w"), perm, row, column);
}

Contract contract() {
  return {
      .name = "gptq_marlin_repack",
      .formula = "out = marlin(q[perm[k]][n]), q the codes of GPTQ's qweight",
      .parameters = {whole("k", 0, int64_t{1} << 30, 16, "rows: input features"),
                     whole("n", 0, int64_t{1} << 30, 64, "columns: output features"), word("bits", {"4", "8"}, "of a code"),
                     whole("act_order", 0, 1, 0, "1: rows are taken in the order perm"),
                     whole("w_pad", 0, 65536, 0, "words between rows of w"), whole("out_pad", 0, 65536, 0, "words between rows of out")},
      .refuses = [](const Parameters& p) { return refuses_marlin(p.whole("k"), p.whole("n")); },
      .tensors = tensors,
      .from_shapes = {{"k", "w", 0, codes_in_words}, {"n", "w", 1}},
      .steps = {{.name = "permutation", .tensor = "out", .compare = Compare::bits, .expected_code = expected}},
      .work =
          [](const Parameters& p) {
            const double k = double(p.whole("k")), n = double(p.whole("n"));
            return Work{.bytes = 2 * k * n * bits_of(p) / 8 + (p.whole("act_order") ? 4 * k : 0), .multiply_adds = k * n};
          },
      .switches = {"act_order"},
  };
}

const Registered<Contract> registered{contract()};

}  // namespace
}  // namespace assay
