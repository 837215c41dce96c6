// y = x * W in FP16, W in AWQ's 4-bit layout as checkpoints hold it: columns of a word in the order 0 2 4 6 1 3 5 7, zero points as they are.
#include "oracles/contracts/packed_gemm.hpp"

namespace assay {
namespace {

WeightPacking packing(const Parameters& p) { return awq_weight({.k = p.whole("k"), .n = p.whole("n"), .group = p.whole("group")}); }

const Registered<Contract> registered{{
    .name = "awq_gemm",
    .formula = "y[m][n] = fp16(sum_k x[m][k] * scale[k/group][n] * (q[k][n] - z[k/group][n]))",
    .parameters = packed_gemm::parameters(32, {whole("split_k", 1, 256, 8, "parts of k that are summed apart")}),
    .refuses = [](const Parameters& p) { return packed_gemm::refuses(p, 32, "k is summed in tiles of 32", "a tile of k must not straddle groups"); },
    .tensors = [](const Parameters& p) { return packed_gemm::tensors(p, packing(p), false); },
    .from_shapes = {{"m", "x", 0}, {"k", "x", 1}, {"k", "w", 0}, {"n", "w", 1, times(8)}, {"n", "scale", 1},
                    {"group", "scale", 0, parts_of("k")}},
    .steps = {{.name = "product", .tensor = "y", .prepare = [](const Problem& problem) { return packed_gemm::oracle(problem, packing(problem.parameters)); }}},
    .work = [](const Parameters& p) { return packed_gemm::work(p); },
    .exact_contents = packed_gemm::sparse_contents,
    .product = MatrixProduct{},   // eight columns share a word of zeros: none moves alone
    .slots = [](const Parameters&) { return slots_of_dequantised_product(Format::fp16); },
}};

}  // namespace
}  // namespace assay
