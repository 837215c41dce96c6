// y = e4m3(x * (1 / scale)), saturating, with one scale that is given. Any scale is legal: a negative one turns signs, the reciprocal of 0
// is infinite, so that zeros become NaN and all else +-448, and that of infinity is 0. A NaN becomes +448.
#include "oracles/contracts/fp8_quant.hpp"

namespace assay {
namespace {

using namespace fp8_quant;

std::vector<TensorSpec> tensors(const Parameters& p) {
  auto scale =
      rows_of({.name = "scale", .format = Format::fp32, .meaning = Meaning::scale, .huge = huge(p) / 64, .tiny = tiny(p) / 16}, 1, 1);
  return {codes_spec(p), operand_spec(p), scale};
}

// A power of two of either sign, values and ties times it, and some beyond 448: up to the middle between 448 and the 480 that would follow,
// there, and further.
void exact_contents(const Parameters& p, const RandomBits& random, Tensors& all) {
  const double scale = std::ldexp(random(101, 0) & 1 ? -1.0 : 1.0, int(random(101, 1) % 12) - 8);
  tensor(all, "scale").set_code(0, 0, encode(Format::fp32, scale));
  Tensor& x = tensor(all, "x");
  for (int64_t row = 0; row < p.whole("rows"); row++)
    for (int64_t column = 0; column < p.whole("d"); column++) {
      const uint64_t bits = random(100, uint64_t(row * p.whole("d") + column));
      const double beyond[] = {456, 464, 472, -500};
      x.set_code(row, column, encode(x.spec.format, scale * (bits >> 10 & 15 ? value_or_tie(bits) : beyond[bits >> 14 & 3])));
    }
}

Contract contract() {
  return {
      .name = "fp8_quant_static",
      .formula = "y = e4m3(x * (1 / scale)), saturating; NaN: 448",
      .parameters = parameters(),
      .tensors = tensors,
      .from_shapes = from_shapes(),
      .steps = {codes_step(Formula::reciprocal, kMost,
                           [](const Problem& problem) {
                             const double scale = tensor(problem.before, "scale").value(0, 0);
                             return [scale](int64_t, int64_t) { return scale; };
                           })},
      .work = [](const Parameters& p) { return work(p, 1, 1); },
      .exact_contents = exact_contents,
      .alike = [](const Parameters& p) { return alike(p); },
      .slots = [](const Parameters&) { return std::vector<Slot>{staged_slot("reciprocal", assumed::quotient()), staged_slot("product", Ops{})}; },
  };
}

const Registered<Contract> registered{contract()};

}  // namespace
}  // namespace assay
