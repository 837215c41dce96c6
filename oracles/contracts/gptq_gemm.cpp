// y = x * W in FP16, W in GPTQ's 4-bit layout as checkpoints hold it, with or without act-order: then the rows of the weight are sorted by
// group, and row k meets column perm[k] of x.
//
// Version 1 stores z - 1: the zero point is the stored number plus 1, up to 16.
#include "oracles/contracts/packed_gemm.hpp"

namespace assay {
namespace {

bool permuted(const Parameters& p) { return p.whole("act_order") != 0; }

WeightPacking packing(const Parameters& p) {
  return gptq_weight({.k = p.whole("k"), .n = p.whole("n"), .group = p.whole("group")}, p.whole("version") == 1 ? GptqVersion::v1 : GptqVersion::v2);
}

Oracle oracle(const Problem& problem) {
  return packed_gemm::oracle(problem, packing(problem.parameters), permuted(problem.parameters) ? &tensor(problem.before, "perm") : nullptr);
}

const Registered<Contract> registered{{
    .name = "gptq_gemm",
    .formula = "y[m][n] = fp16(sum_k x[m][perm[k]] * scale[k/group][n] * (q[k][n] - z[k/group][n])), z = stored + 1 in version 1",
    .parameters = packed_gemm::parameters(8, {whole("version", 1, 2, 1, "of the checkpoint: 1 stores z - 1, 2 stores z"),
                                              whole("act_order", 0, 1, 0, "1: row k of the weight belongs to column perm[k] of x")}),
    .refuses =
        [](const Parameters& p) { return packed_gemm::refuses(p, 8, "eight k share a word of w", "a word must not straddle groups"); },
    .tensors = [](const Parameters& p) { return packed_gemm::tensors(p, packing(p), permuted(p)); },
    .from_shapes = {{"m", "x", 0}, {"k", "x", 1}, {"k", "w", 0, times(8)}, {"n", "w", 1}, {"n", "scale", 1},
                    {"group", "scale", 0, parts_of("k")}},
    .steps = {{.name = "product", .tensor = "y", .prepare = oracle}},
    .work = [](const Parameters& p) { return packed_gemm::work(p, permuted(p) ? 4 * double(p.whole("k")) : 0); },
    .exact_contents = packed_gemm::sparse_contents,
    .product = MatrixProduct{},  // eight columns share a word of zeros: none moves alone
    .switches = {"version", "act_order"},
    .slots = [](const Parameters&) { return slots_of_dequantised_product(Format::fp16); },
}};

}  // namespace
}  // namespace assay
