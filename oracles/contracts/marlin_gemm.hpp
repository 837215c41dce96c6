// What w4a16_gemm and w8a16_fp8_gemm share: y = x * W with 16-bit x and y, and a quantised W in the tiles of Marlin.
//
// W is materialised before it is multiplied, in the format that the arithmetic declares for "weight"; an element that is NaN or infinite
// there takes part in the sum as such.
#pragma once
#include <algorithm>
#include <memory>

#include "oracles/contracts/gemm.hpp"
#include "oracles/contracts/packed_weight.hpp"

namespace assay {

/// A weight as the tensors of a case hold it, column by column. The tensors must outlive it.
struct MarlinWeight {
  std::function<std::vector<double>(int64_t n)> steps;   // what the codes of a column stand for, without their scale: exact
  std::function<double(int64_t g, int64_t n)> scale;
  std::function<int64_t(int64_t k)> group_of;
  int64_t groups = 0;

  /// Rows of B for gemm_oracle: the column's weights, each rounded once.
  RowOf materialised(const Round* round) const {
    return [weight = *this, to = round ? std::optional(round->to) : std::nullopt](int64_t n, std::span<double> out) {
      const std::vector<double> steps = weight.steps(n);
      std::vector<double> scales;
      for (int64_t g = 0; g < weight.groups; g++) scales.push_back(weight.scale(g, n));
      for (size_t k = 0; k < out.size(); k++) {
        const double w = steps[k] * scales[size_t(weight.group_of(int64_t(k)))];   // at most 5 + 11 bits: exact
        out[k] = to ? decode(*to, encode(*to, w)) : w;
      }
    };
  }
};

namespace marlin {

inline Format element_of(const Parameters& p) { return *format_named(p.word("dtype")); }

/// Powers of two by which fills may stretch an operand: in FP16, results of a few thousand terms stay finite and weights normal.
struct Reach {
  double huge, tiny;
};
inline Reach activations(Format f) { return f == Format::fp16 ? Reach{0x1p6, 0x1p-8} : Reach{0x1p50, 0x1p-50}; }
inline Reach scales(Format f) { return f == Format::fp16 ? Reach{0x1p2, 0x1p-5} : Reach{0x1p20, 0x1p-20}; }

inline TensorSpec x_spec(const Parameters& p) {
  const Reach reach = activations(element_of(p));
  return rows_of({.name = "x", .format = element_of(p), .offset = p.whole("offset"), .reduction = p.whole("k"), .huge = reach.huge, .tiny = reach.tiny},
                 p.whole("m"), p.whole("k"), p.whole("x_pad"));
}
inline TensorSpec scale_spec(const Parameters& p, const Packing& packing) {
  const Reach reach = scales(element_of(p));
  return packed_tensor({.name = "scale", .format = element_of(p), .meaning = Meaning::scale, .huge = reach.huge, .tiny = reach.tiny}, packing);
}
inline TensorSpec y_spec(const Parameters& p) {
  return rows_of({.name = "y", .role = Role::output, .format = element_of(p), .offset = p.whole("offset")}, p.whole("m"), p.whole("n"), p.whole("y_pad"));
}

inline Oracle oracle(const Problem& problem, const MarlinWeight& weight, const Tensor* perm) {
  const Tensor& x = tensor(problem.before, "x");
  auto rounded_once = []<class Real>(int64_t, int64_t, Tracked<Real> sum) { return sum; };
  return gemm_oracle({.dot = problem.arithmetic.dot("dot"), .m = problem.parameters.whole("m"), .n = problem.parameters.whole("n"), .k = problem.parameters.whole("k"), .a = rows_of_tensor(x, perm),
                      .b = weight.materialised(problem.arithmetic.round("weight")), .random_signs = x.random_signs},
                     rounded_once);
}

/// What both refuse; `groups` are the legal sizes besides k.
inline std::optional<std::string> refuses(const Parameters& p, std::initializer_list<int64_t> groups) {
  if (auto why = not_a_multiple(p, "k", 16, "a tile has 16 rows")) return why;
  if (auto why = not_a_multiple(p, "n", 64, "a tile has 64 columns")) return why;
  const int64_t group = p.whole("group"), k = p.whole("k");
  if (group != k && std::ranges::find(groups, group) == groups.end()) {
    std::string legal;
    for (int64_t g : groups) legal += std::to_string(g) + ", ";
    return "group=" + std::to_string(group) + " is not one of " + legal + "k";
  }
  if (auto why = group_does_not_divide(p)) return why;
  return too_large(p);
}

inline std::vector<Parameter> parameters(std::string group_text) {
  return {whole("m", 0, 1 << 24, 1, "rows of x: tokens"),
          whole("n", 0, 1 << 24, 64, "columns of the weight: output features", 64),
          whole("k", 16, 1 << 24, 32, "rows of the weight: input features", 16),
          whole("group", 16, 1 << 24, 32, std::move(group_text), 16),
          word("dtype", {"bf16", "fp16"}, "format of x, y and scale"),
          whole("sms", 1, 1 << 20, 132, "blocks of threads that the work is dealt to"),
          whole("x_pad", 0, 65536, 0, "elements between rows of x"),
          whole("y_pad", 0, 65536, 0, "elements between rows of y"),
          whole("offset", 0, 127, 0, "elements by which x and y miss a 256-byte boundary")};
}

}  // namespace marlin
}  // namespace assay
