#include "properties/accept_rules.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "oracles/arithmetic/arithmetic.hpp"

namespace assay::properties {
namespace {

using Elements = std::span<const Compared>;

/// |found - expected| <= atol + rtol |expected|, equal infinities too; NaN never.
bool is_close(const Compared& e, double rtol, double atol) {
  return e.found == e.expected || std::fabs(e.found - e.expected) <= atol + rtol * std::fabs(e.expected);
}

bool all_close(Elements all, double rtol, double atol) {
  return std::ranges::all_of(all, [=](const Compared& e) { return is_close(e, rtol, atol); });
}

AcceptRule close(std::string_view name, std::string_view says, double rtol, double atol) {
  return {name, says, [=](Elements all, Format) { return all_close(all, rtol, atol); }};
}

double sum(Elements all, auto&& term) {
  double total = 0;
  for (const Compared& e : all) total += term(e);
  return total;
}

double products(Elements all) { return sum(all, [](const Compared& e) { return e.found * e.expected; }); }
double squares_found(Elements all) { return sum(all, [](const Compared& e) { return e.found * e.found; }); }
double squares_expected(Elements all) { return sum(all, [](const Compared& e) { return e.expected * e.expected; }); }
double squared_errors(Elements all) { return sum(all, [](const Compared& e) { return (e.found - e.expected) * (e.found - e.expected); }); }

/// torch.testing.assert_close without tolerances: by format of the output.
bool torch_defaults(Elements all, Format format) {
  switch (format) {
    case Format::bf16: return all_close(all, 1.6e-2, 1e-5);
    case Format::fp16: return all_close(all, 1e-3, 1e-5);
    case Format::fp32: return all_close(all, 1.3e-6, 1e-5);
    default: return all_close(all, 0, 0);
  }
}

/// sum|found - expected| / sum|expected|, the check of the Marlin family; 0 where nothing is expected and found.
bool mean_ratio(Elements all, Format) {
  const double error = sum(all, [](const Compared& e) { return std::fabs(e.found - e.expected); });
  return error == 0 || error / sum(all, [](const Compared& e) { return std::fabs(e.expected); }) < 0.04;
}

bool cosine(Elements all, Format) {
  const double lengths = std::sqrt(squares_found(all) * squares_expected(all));
  return squared_errors(all) == 0 || products(all) / lengths > 0.99;
}

bool calc_diff(Elements all, Format) {
  return squared_errors(all) == 0 || 1 - 2 * products(all) / (squares_found(all) + squares_expected(all)) < 1e-3;
}

bool nmse(Elements all, Format) { return squared_errors(all) == 0 || squared_errors(all) / squares_expected(all) < 5e-4; }

bool cutlass(Elements all, Format) {
  return std::ranges::all_of(all, [](const Compared& e) {
    return e.found == e.expected || std::fabs(e.found - e.expected) < 0.1 * (std::fabs(e.found) + std::fabs(e.expected));
  });
}

bool matched(Elements all, Format) {
  return double(std::ranges::count_if(all, [](const Compared& e) { return is_close(e, 0.85, 0.1); })) >= 0.925 * double(all.size());
}

/// The BLAS testers' gauge: an error of less than 16 eps of the sum of magnitudes, eps the distance from 1 to the next number.
bool gauge(Elements all, Format format) {
  const double eps = 2 * unit_roundoff(format);
  return std::ranges::all_of(all, [=](const Compared& e) { return e.found == e.expected || std::fabs(e.found - e.exact) < 16 * eps * e.magnitude; });
}

const std::vector<AcceptRule>& rules() {
  static const std::vector<AcceptRule> all{
      {"torch defaults", "assert_close: rtol 1.6e-2 (BF16), 1e-3 (FP16), 1.3e-6 (FP32), atol 1e-5; other formats equal", torch_defaults},
      close("vLLM 1e-2", "rtol 1e-2, atol 1e-2", 1e-2, 1e-2),
      {"vLLM mean 0.04", "sum of errors below 0.04 of the sum of magnitudes", mean_ratio},
      close("vLLM 0.5, 0.15", "rtol 0.5, atol 0.15", 0.5, 0.15),
      {"FlashInfer cosine", "cosine above 0.99", cosine},
      close("FlashInfer 1, 1", "rtol 1, atol 1", 1, 1),
      {"FlashInfer 92.5 %", "92.5 % of elements within rtol 0.85, atol 0.1", matched},
      {"DeepGEMM diff", "1 - 2 <x, y> / (<x, x> + <y, y>) below 1e-3", calc_diff},
      {"ggml NMSE", "squared errors below 5e-4 of squares", nmse},
      {"CUTLASS 0.1", "error below 0.1 (|x| + |y|)", cutlass},
      {"BLAS gauge", "error below 16 eps of the sum of the magnitudes of the terms", gauge},
  };
  return all;
}

}  // namespace

std::span<const AcceptRule> accept_rules() { return rules(); }

}  // namespace assay::properties
