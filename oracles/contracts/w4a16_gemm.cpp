// y = x * W with 4-bit weights in Marlin's tiles. With perm, row r of W belongs to column perm[r] of x; with g_idx it is of group g_idx[r],
// whatever the order and sizes of groups (act-order).
#include "oracles/contracts/marlin_gemm.hpp"

namespace assay {
namespace {

WeightPacking packing_of(const Parameters& p) {
  const WeightShape shape{.k = p.whole("k"), .n = p.whole("n"), .group = p.whole("group")};
  return p.whole("zeros") ? marlin_weight_with_zeros(shape) : marlin_weight(shape);
}

std::vector<TensorSpec> tensors(const Parameters& p) {
  const WeightPacking packing = packing_of(p);
  const int64_t k = p.whole("k");
  std::vector<TensorSpec> all{marlin::x_spec(p),
                              packed_tensor({.name = "w", .format = Format::int32, .meaning = Meaning::packed_int4}, packing.codes),
                              marlin::scale_spec(p, packing.scales)};
  if (packing.zeros) all.push_back(packed_tensor({.name = "zeros", .format = Format::int32, .meaning = Meaning::packed_zeros}, *packing.zeros));
  if (p.whole("perm")) all.push_back(rows_of({.name = "perm", .format = Format::int32, .meaning = Meaning::permutation}, 1, k));
  if (p.whole("g_idx"))
    all.push_back(rows_of({.name = "g_idx", .format = Format::int32, .meaning = Meaning::group_index, .limit = packing.groups(), .shuffled = true}, 1, k));
  all.push_back(marlin::y_spec(p));
  return all;
}

Oracle oracle(const Problem& problem) {
  const Parameters& p = problem.parameters;
  auto named = [&](const char* name) { return p.whole(name) ? &tensor(problem.before, name) : nullptr; };
  const auto packing = std::make_shared<const WeightPacking>(packing_of(p));
  const PackedWeight w{*packing, tensor(problem.before, "w"), tensor(problem.before, "scale"), named("zeros"), named("g_idx")};
  const MarlinWeight weight{.steps =
                                [packing, w](int64_t n) {
                                  const std::vector<int> steps = w.steps(n);
                                  return std::vector<double>(steps.begin(), steps.end());
                                },
                            .scale = [packing, w](int64_t g, int64_t n) { return w.scale(g, n); },
                            .group_of = [packing, w](int64_t k) { return w.group_of(k); },
                            .groups = packing->groups()};
  return marlin::oracle(problem, weight, named("perm"));
}

Work work(const Parameters& p) {
  const double m = double(p.whole("m")), n = double(p.whole("n")), k = double(p.whole("k")), groups = k / double(p.whole("group"));
  const double weights = n * k / 2 + n * groups * (p.whole("zeros") ? 2.5 : 2) + 4 * k * double(p.whole("perm") + p.whole("g_idx"));
  return product_work(p, weights + 2 * m * (k + n));
}

Contract contract() {
  std::vector<Parameter> parameters = marlin::parameters("elements of k that share a scale and a zero point: 32, 64, 128 or k");
  parameters.push_back(whole("zeros", 0, 1, 0, "1: zero points are given; 0: they are 8"));
  parameters.push_back(whole("perm", 0, 1, 0, "1: row r of the weight belongs to column perm[r] of x"));
  parameters.push_back(whole("g_idx", 0, 1, 0, "1: row r of the weight is of group g_idx[r]; 0: of r/group"));
  return {.name = "w4a16_gemm",
          .formula = "y[m][n] = dtype(sum_r x[m][perm[r]] * scale[g(r)][n] * (q[r][n] - zeros[g(r)][n]))",
          .parameters = std::move(parameters),
          .refuses =
              [](const Parameters& p) {
                return marlin::refuses(p, {32, 64, 128});
              },
          .tensors = tensors,
          .from_shapes = {{"m", "x", 0}, {"k", "x", 1}, {"k", "w", 0, times(16)}, {"n", "scale", 1}, {"n", "w", 1, divided(2)},
                          {"group", "scale", 0, parts_of("k")}},
          .steps = {{.name = "product", .tensor = "y", .prepare = oracle}},
          .work = work,
          .product = MatrixProduct{},
          .switches = {"zeros", "perm", "g_idx"},
          .slots = [](const Parameters& p) { return slots_of_dequantised_product(marlin::element_of(p)); }};
}

const Registered<Contract> registered{contract()};

}  // namespace
}  // namespace assay
