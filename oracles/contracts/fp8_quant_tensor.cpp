// scale = amax / 448 over the whole matrix, without a floor, then y = e4m3(x * (1 / scale)), saturating. All zeros: scale 0, and 0 times
// its infinite reciprocal is NaN everywhere. One infinity: scale infinity, finite elements 0, infinite ones NaN. A NaN does not count for
// amax and becomes +448.
#include "oracles/contracts/fp8_quant.hpp"

namespace assay {
namespace {

using namespace fp8_quant;

std::vector<TensorSpec> tensors(const Parameters& p) {
  auto scale = rows_of({.name = "scale", .role = Role::output, .format = Format::fp32}, 1,
                       p.whole("rows") > 0 && p.whole("d") > 0);  // of elements: none, no scale
  return {codes_spec(p), operand_spec(p), scale};
}

double amax_of_all(const Tensor& x) {
  double largest = 0;
  for (int64_t row = 0; row < x.spec.rows(); row++) largest = amax(x, row, 0, x.spec.width(), largest);
  return largest;
}

Oracle scale_step(const Problem& problem) {
  const double m = amax_of_all(tensor(problem.before, "x"));
  return scale_oracle(problem.arithmetic, 0, [m](int64_t, int64_t) { return m; });
}

// The scale is a power of two, and the very last element what it follows from. One case in eight is all zeros.
void exact_contents(const Parameters& p, const RandomBits& random, Tensors& all) {
  const int64_t rows = p.whole("rows"), d = p.whole("d");
  const double scale = random(101, 0) % 8 == 0 ? 0 : std::ldexp(1.0, int(random(101, 1) % 12) - 8);
  for (int64_t row = 0; row < rows; row++) write_units(tensor(all, "x"), row, 0, d, row + 1 < rows ? scale / 2 : scale, random);
}

Contract contract() {
  return {
      .name = "fp8_quant_tensor",
      .formula = "scale = max|x| / 448; y = e4m3(x * (1 / scale)), saturating; NaN: 448",
      .parameters = parameters(),
      .tensors = tensors,
      .from_shapes = from_shapes(),
      .steps = {{.name = "scale", .tensor = "scale", .prepare = scale_step},
                codes_step(Formula::reciprocal, kMost,
                           [](const Problem& problem) {
                             const Tensor& scale = tensor(problem.after, "scale");
                             const double s = scale.spec.elements() ? scale.value(0, 0) : 0;
                             return [s](int64_t, int64_t) { return s; };
                           })},
      .work = [](const Parameters& p) { return work(p, 1, 2); },
      .exact_contents = exact_contents,
      .alike = [](const Parameters& p) { return alike(p); },
      .slots = [](const Parameters&) { return std::vector<Slot>{staged_slot("scale", assumed::quotient()), staged_slot("reciprocal", assumed::quotient()), staged_slot("product", Ops{})}; },
  };
}

const Registered<Contract> registered{contract()};

}  // namespace
}  // namespace assay
