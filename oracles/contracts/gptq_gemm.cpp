// y = x * W in FP16, W in GPTQ's 4-bit layout as checkpoints hold it, with or without act-order: then the rows of the weight are sorted by
// group, and row k meets column perm[k] of x.
//
// Version 1 stores z - 1: the zero point is the stored number plus 1, up to 16.
#include "oracles/contracts/packed_gemm.hpp"

namespace assay {
namespace {

GptqVersion version_of(const Parameters& p) { return p.whole("version") == 1 ? GptqVersion::v1 : GptqVersion::v2; }

std::vector<TensorSpec> tensors(const Parameters& p) {
  const int64_t m = p.whole("m"), n = p.whole("n"), k = p.whole("k"), groups = k / p.whole("group"), offset = p.whole("offset");
  // Four products of at most 512 * 16 fit an FP16 accumulator.
  std::vector<TensorSpec> all{
      rows_of({.name = "x", .format = Format::fp16, .offset = offset, .reduction = k, .huge = 0x1p9, .tiny = 0x1p-10}, m, k, p.whole("x_pad")),
      rows_of({.name = "w", .format = Format::int32, .meaning = Meaning::packed_int4, .offset = p.whole("w_offset")}, k / 8, n, p.whole("w_pad")),
      rows_of({.name = "zeros", .format = Format::int32, .meaning = Meaning::packed_zeros}, groups, n / 8, p.whole("zeros_pad")),
      rows_of({.name = "scale", .format = Format::fp16, .meaning = Meaning::scale, .huge = 0x1p-2, .tiny = 0x1p-8}, groups, n, p.whole("scale_pad"))};
  if (p.whole("act_order")) all.push_back(rows_of({.name = "perm", .format = Format::int32, .meaning = Meaning::permutation}, 1, k));
  all.push_back(rows_of({.name = "y", .role = Role::output, .format = Format::fp16, .offset = offset}, m, n, p.whole("y_pad")));
  return all;
}

Oracle oracle(const Problem& problem) {
  const Parameters& p = problem.parameters;
  std::vector<int64_t> columns;
  if (p.whole("act_order")) {
    const Tensor& perm = tensor(problem.before, "perm");
    for (int64_t k = 0; k < p.whole("k"); k++) columns.push_back(int64_t(perm.code(0, k)));
  }
  const WeightShape shape{.k = p.whole("k"), .n = p.whole("n"), .group = p.whole("group")};
  return packed_gemm(problem, gptq_weight(shape, version_of(p)), std::move(columns));
}

std::optional<std::string> refuses(const Parameters& p) {
  if (auto why = not_a_multiple(p, "k", 8, "eight k share a word of w")) return why;
  if (auto why = not_a_multiple(p, "n", 8, "eight columns share a word of zeros")) return why;
  if (auto why = not_a_multiple(p, "group", 8, "a word must not straddle groups")) return why;
  if (p.whole("k") % p.whole("group")) return "group=" + std::to_string(p.whole("group")) + " does not divide k=" + std::to_string(p.whole("k"));
  return too_large(p);
}

Contract contract() {
  return {
      .name = "gptq_gemm",
      .formula = "y[m][n] = fp16(sum_k x[m][perm[k]] * scale[k/group][n] * (q[k][n] - z[k/group][n])), z = stored + 1 in version 1",
      .parameters = {whole("m", 0, 1 << 24, 1, "rows of x: tokens"),
                     whole("n", 0, 1 << 24, 8, "columns of w: output features"),
                     whole("k", 8, 1 << 24, 8, "rows of the weight: input features"),
                     whole("group", 8, 1 << 24, 8, "elements of k that share a scale and a zero point"),
                     whole("version", 1, 2, 1, "of the checkpoint: 1 stores z - 1, 2 stores z"),
                     whole("act_order", 0, 1, 0, "1: row k of the weight belongs to column perm[k] of x"),
                     whole("x_pad", 0, 65536, 0, "elements between rows of x"),
                     whole("y_pad", 0, 65536, 0, "elements between rows of y"),
                     whole("w_pad", 0, 65536, 0, "words between rows of w"),
                     whole("zeros_pad", 0, 65536, 0, "words between rows of zeros"),
                     whole("scale_pad", 0, 65536, 0, "elements between rows of scale"),
                     whole("offset", 0, 127, 0, "elements by which x and y miss a 256-byte boundary"),
                     whole("w_offset", 0, 63, 0, "words by which w misses a 256-byte boundary")},
      .refuses = refuses,
      .tensors = tensors,
      .steps = {{.name = "product", .tensor = "y", .prepare = oracle}},
      .work =
          [](const Parameters& p) {
            const double m = double(p.whole("m")), n = double(p.whole("n")), k = double(p.whole("k"));
            const double weights = n * k * (0.5 + 2.5 / double(p.whole("group"))) + (p.whole("act_order") ? 4 * k : 0);
            return Work{.bytes = weights + 2 * m * (k + n), .flops = 2 * m * n * k, .multiply_adds = m * n * k};
          },
      .exact_contents = sparse_contents,
      .product = MatrixProduct{},   // eight columns share a word of zeros: none moves alone
  };
}

const Registered<Contract> registered{contract()};

}  // namespace
}  // namespace assay
