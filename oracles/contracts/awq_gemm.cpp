// y = x * W in FP16, W in AWQ's 4-bit layout as checkpoints hold it: columns of a word in the order 0 2 4 6 1 3 5 7, zero points as they are.
#include "oracles/contracts/packed_gemm.hpp"

namespace assay {
namespace {

std::vector<TensorSpec> tensors(const Parameters& p) {
  const int64_t m = p.whole("m"), n = p.whole("n"), k = p.whole("k"), groups = k / p.whole("group"), offset = p.whole("offset");
  return {
      rows_of({.name = "x", .format = Format::fp16, .offset = offset, .reduction = k, .huge = 0x1p9, .tiny = 0x1p-10}, m, k, p.whole("x_pad")),
      rows_of({.name = "w", .format = Format::int32, .meaning = Meaning::packed_int4, .offset = p.whole("w_offset")}, k, n / 8, p.whole("w_pad")),
      rows_of({.name = "zeros", .format = Format::int32, .meaning = Meaning::packed_zeros}, groups, n / 8, p.whole("zeros_pad")),
      rows_of({.name = "scale", .format = Format::fp16, .meaning = Meaning::scale, .huge = 0x1p-2, .tiny = 0x1p-8}, groups, n, p.whole("scale_pad")),
      rows_of({.name = "y", .role = Role::output, .format = Format::fp16, .offset = offset}, m, n, p.whole("y_pad"))};
}

Oracle oracle(const Problem& problem) {
  const Parameters& p = problem.parameters;
  return packed_gemm(problem, awq_weight({.k = p.whole("k"), .n = p.whole("n"), .group = p.whole("group")}));
}

std::optional<std::string> refuses(const Parameters& p) {
  if (auto why = not_a_multiple(p, "k", 32, "k is summed in tiles of 32")) return why;
  if (auto why = not_a_multiple(p, "n", 8, "eight columns share a word")) return why;
  if (auto why = not_a_multiple(p, "group", 32, "a tile of k must not straddle groups")) return why;
  if (p.whole("k") % p.whole("group")) return "group=" + std::to_string(p.whole("group")) + " does not divide k=" + std::to_string(p.whole("k"));
  return too_large(p);
}

Contract contract() {
  return {
      .name = "awq_gemm",
      .formula = "y[m][n] = fp16(sum_k x[m][k] * scale[k/group][n] * (q[k][n] - z[k/group][n]))",
      .parameters = {whole("m", 0, 1 << 24, 1, "rows of x: tokens"),
                     whole("n", 0, 1 << 24, 8, "columns of the weight: output features"),
                     whole("k", 32, 1 << 24, 32, "rows of the weight: input features"),
                     whole("group", 32, 1 << 24, 32, "elements of k that share a scale and a zero point"),
                     whole("split_k", 1, 256, 8, "parts of k that are summed apart"),
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
            return Work{.bytes = n * k * (0.5 + 2.5 / double(p.whole("group"))) + 2 * m * (k + n), .flops = 2 * m * n * k, .multiply_adds = m * n * k};
          },
      .exact_contents = sparse_contents,
      .product = MatrixProduct{},   // eight columns share a word of zeros: none moves alone
  };
}

const Registered<Contract> registered{contract()};

}  // namespace
}  // namespace assay
