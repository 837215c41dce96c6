// What fp8_scaled_gemm and int8_scaled_gemm share: 8-bit activations and weights whose scales stand outside the sum, one for a tensor or one
// for each row.
#pragma once
#include "oracles/contracts/gemm.hpp"

namespace assay::scaled_gemm {

/// Bytes of scales and bias.
inline double scale_bytes(const Parameters& p) {
  const double m = double(p.whole("m")), n = double(p.whole("n"));
  return 4 * ((p.word("a_scale") == "per_tensor" ? 1 : m) + (p.word("b_scale") == "per_tensor" ? 1 : n)) + 2 * n * double(p.whole("bias"));
}

/// `k`: its standard value; `more` stand before the bias.
inline std::vector<Parameter> parameters(int64_t k, std::vector<Parameter> more = {}) {
  std::vector<Parameter> all{whole("m", 0, 1 << 24, 1, "rows of a: tokens"),
                             whole("n", 0, 1 << 24, 1, "rows of b: output features"),
                             whole("k", 1, 1 << 24, k, "columns: input features"),
                             word("dtype", {"bf16", "fp16"}, "of y and of the bias"),
                             word("a_scale", {"per_tensor", "per_token"}, "how many scales a has"),
                             word("b_scale", {"per_tensor", "per_channel"}, "how many scales b has")};
  all.insert(all.end(), more.begin(), more.end());
  for (Parameter& p : std::vector<Parameter>{whole("bias", 0, 1, 0, "1: a bias is added"), whole("a_pad", 0, 65536, 0, "elements between rows of a"),
                                             whole("b_pad", 0, 65536, 0, "elements between rows of b"), whole("y_pad", 0, 65536, 0, "elements between rows of y"),
                                             whole("offset", 0, 127, 0, "elements by which a, b and y miss a 256-byte boundary")})
    all.push_back(std::move(p));
  return all;
}

}  // namespace assay::scaled_gemm
