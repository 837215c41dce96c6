// The table that RoPE reads: cache[p][i] = cos(p * inv_freq[i]), cache[p][h+i] = sin(p * inv_freq[i]), h = rot_dim/2, in FP32.
// inv_freq is an operand; the angle is the exact product unless the implementation declares that it is materialised (slot `angle`), as
// FP32 frameworks do: at position 131072 that moves the angle by up to 2^-8, so the two are different functions. A count of roundings there
// allows for both.
#include <cmath>

#include "oracles/arithmetic/wide.hpp"
#include "oracles/assumed.hpp"
#include "oracles/contract.hpp"

namespace assay {
namespace {

std::vector<TensorSpec> tensors(const Parameters& p) {
  auto frequency = rows_of({.name = "inv_freq", .format = Format::fp32, .meaning = Meaning::frequency}, 1, p.whole("rot_dim") / 2);
  auto cache = rows_of({.name = "cache", .role = Role::output, .format = Format::fp32}, p.whole("max_position"), p.whole("rot_dim"));
  return {frequency, cache};
}

template <class Real>
Tracked<Real> cosine_or_sine(bool cosine, double position, double frequency, const Arithmetic& arithmetic) {
  using std::cos, std::sin;
  Tracked<Real> angle = exactly(Real(position) * Real(frequency));   // 24 by 24 bits: exact in FP64
  if (arithmetic.declares("angle")) angle = staged(arithmetic, "angle", angle);
  Tracked<Real> value = exactly(cosine ? Real(cos(angle.value)) : Real(sin(angle.value)));
  value.radius = 2 * kOracleRoundoff<Real>;   // glibc documents cos and sin within 1 ulp, and abs(value) <= 1
  value.bound = angle.bound;                  // abs(cos' x) <= 1
  return apply(arithmetic, arithmetic.fn("cos_sin"), angle, value);
}

Oracle oracle(const Problem& problem) {
  const std::vector<double> frequency = tensor(problem.before, "inv_freq").row(0);
  const Arithmetic& arithmetic = problem.arithmetic;
  auto element = [frequency, &arithmetic](auto real, int64_t row, int64_t column) {
    const int64_t half = int64_t(frequency.size());
    return cosine_or_sine<decltype(real)>(column < half, double(row), frequency[size_t(column % half)], arithmetic);
  };
  auto expect = [element](int64_t row, std::span<const int64_t> columns, std::span<Expected> out) {
    for (size_t i = 0; i < columns.size(); i++) out[i] = expected(element(double{}, row, columns[i]));
  };
  return {by_row(expect), [element](int64_t row, int64_t column) { return decided(element(Wide{}, row, column)); }};
}

Contract contract() {
  return {
      .name = "rope_cache",
      .formula = "cache[p][i] = fp32(cos(p * inv_freq[i])), cache[p][h+i] = fp32(sin(p * inv_freq[i])), h = rot_dim/2",
      .parameters = {whole("max_position", 0, 1 << 24, 16, "rows"), whole("rot_dim", 0, 4096, 8, "columns: half cosines, half sines")},
      .refuses = [](const Parameters& p) -> std::optional<std::string> {
        if (p.whole("rot_dim") % 2) return "rot_dim=" + std::to_string(p.whole("rot_dim")) + " must be even";
        return {};
      },
      .tensors = tensors,
      .from_shapes = {{"rot_dim", "inv_freq", 1, times(2)}},
      .exact_fill = false,
      .steps = {{.name = "table", .tensor = "cache", .prepare = oracle}},
      .work =
          [](const Parameters& p) {
            const double n = double(p.whole("max_position")) * double(p.whole("rot_dim"));
            return Work{.bytes = 4 * n, .flops = 30 * n, .multiply_adds = 15 * n};
          },
      .alike =
          [](const Parameters& p) {
            return std::vector<Alike>{{"frequencies", p.whole("rot_dim") / 2, {{"inv_freq"}, {"cache"}}}};
          },
      .slots =
          [](const Parameters&) {
            return std::vector<Slot>{{.name = "angle", .assumed = Ops{}, .needed = false, .either = true}, {"cos_sin", assumed::sin_cos()}};
          },
  };
}

const Registered<Contract> registered{contract()};

}  // namespace
}  // namespace assay
