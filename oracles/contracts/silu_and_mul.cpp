// out = silu(gate) * up, silu(g) = g / (1 + e^-g); gate is the first half of a row, up the second. (SwiGLU: Shazeer 2020.)
//
// An implementation may materialise silu in a narrow format before the product (slot `silu`), as vLLM's kernel does in T, or not, as the
// one-rounding form does: these are two different functions, and the declaration says which one is judged. A count of roundings there
// allows for both.
// Specials follow IEEE 754 through the formula: +inf stays, -inf gives -inf / inf = NaN, 0 * inf = NaN.
#include <cmath>

#include "oracles/arithmetic/silu.hpp"
#include "oracles/arithmetic/wide.hpp"
#include "oracles/assumed.hpp"
#include "oracles/contract.hpp"

namespace assay {
namespace {

std::vector<TensorSpec> tensors(const Parameters& p) {
  const int64_t rows = p.whole("rows"), d = p.whole("d");
  auto in = rows_of({.name = "gate_up", .offset = p.whole("offset"), .reduction = d, .whole_range = true}, rows, 2 * d, p.whole("in_pad"));
  auto out = rows_of({.name = "out", .role = Role::output, .offset = p.whole("offset")}, rows, d, p.whole("out_pad"));
  return {in, out};
}

template <class Real>
Tracked<Real> materialised_silu(double gate, const Arithmetic& arithmetic) {
  const auto s = silu(exactly(Real(gate)), arithmetic);
  return arithmetic.declares("silu") ? staged(arithmetic, "silu", s) : s;
}

template <class Real>
Tracked<Real> product(double gate, double up, const Arithmetic& arithmetic) {
  return apply(arithmetic, arithmetic.ops("product"), materialised_silu<Real>(gate, arithmetic) * exactly(Real(up)));
}

Expected special(double gate, double up, const Arithmetic& arithmetic) {
  if (std::isnan(gate) || std::isnan(up) || gate == -INFINITY) return {.value = NAN};
  if (gate == INFINITY) return {.value = gate * up};
  const auto s = materialised_silu<double>(gate, arithmetic);   // up is infinite: what counts is whether silu can have become zero
  const bool sure = gate == 0 || magnitude(s.value) > s.radius + s.bound.total() + 0x1p-149;
  return {.value = s.value * up, .inside = sure};
}

Oracle oracle(const Problem& problem) {
  const Tensor& in = tensor(problem.before, "gate_up");
  const Arithmetic& arithmetic = problem.arithmetic;
  const int64_t d = in.spec.width() / 2;
  auto expect = [&in, &arithmetic, d](int64_t row, std::span<const int64_t> columns, std::span<Expected> out) {
    for (size_t i = 0; i < columns.size(); i++) {
      const double gate = in.value(row, columns[i]), up = in.value(row, d + columns[i]);
      out[i] = std::isfinite(gate) && std::isfinite(up) ? expected(product<double>(gate, up, arithmetic)) : special(gate, up, arithmetic);
    }
  };
  auto decide = [&in, &arithmetic, d](int64_t row, int64_t column) {
    return decided(product<Wide>(in.value(row, column), in.value(row, d + column), arithmetic));
  };
  return {by_row(expect), decide};
}

// Gates of 0 or 32 to 127, where 1 + e^-g rounds to 1 and silu to g, and powers of two: the exact product lies in the middle of its
// rounding interval.
void exact_contents(const Parameters& p, const RandomBits& random, Tensors& all) {
  const int64_t rows = p.whole("rows"), d = p.whole("d");
  Tensor& in = tensor(all, "gate_up");
  for (int64_t row = 0; row < rows; row++)
    for (int64_t column = 0; column < d; column++) {
      const uint64_t bits = random(100, uint64_t(row * d + column));
      const double gate = bits % 16 == 0 ? 0 : double(32 + (bits >> 8) % 96), up = std::ldexp(bits & 16 ? 1.0 : -1.0, int(bits >> 16) % 7 - 3);
      in.set_code(row, column, encode(Format::bf16, gate));
      in.set_code(row, d + column, encode(Format::bf16, up));
    }
}

Contract contract() {
  return {
      .name = "silu_and_mul",
      .formula = "out = bf16(silu(gate) * up), silu(g) = g / (1 + e^-g)",
      .parameters = {whole("rows", 0, 2147483647, 1, "tokens"),
                     whole("d", 0, 1 << 28, 8, "width of gate, of up and of the result"),
                     whole("in_pad", 0, 65536, 0, "elements between rows of gate_up"),
                     whole("out_pad", 0, 65536, 0, "elements between rows of out"),
                     whole("offset", 0, 127, 0, "elements by which the tensors miss a 256-byte boundary")},
      .tensors = tensors,
      .from_shapes = {{"rows", "gate_up", 0}, {"d", "gate_up", 1, divided(2)}},
      .steps = {{.name = "product", .tensor = "out", .prepare = oracle}},
      .work =
          [](const Parameters& p) {
            const double n = double(p.whole("rows")) * double(p.whole("d"));
            return Work{.bytes = 6 * n, .flops = 5 * n, .multiply_adds = 4 * n};
          },
      .exact_contents = exact_contents,
      .alike =
          [](const Parameters& p) {
            const int64_t rows = p.whole("rows"), d = p.whole("d");
            return std::vector<Alike>{{"rows", rows, {{"gate_up", 2 * d}, {"out", d}}}, {"columns", d, {{"gate_up"}, {"out"}}}};
          },
      .slots =
          [](const Parameters&) {
            return std::vector<Slot>{{"exp", assumed::exp()}, {"one_plus", Ops{}}, {"divide", assumed::quotient()}, {"product", Ops{}},
                                     {.name = "silu", .assumed = Ops{.format = Format::bf16}, .needed = false, .either = true}};
          },
  };
}

const Registered<Contract> registered{contract()};

}  // namespace
}  // namespace assay
