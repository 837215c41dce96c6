// scale = max(min(amax, scale_ub) / 448, 1 / (448 * 512)) for each row, then y = e4m3(x / scale), saturating. The upper bound, where there
// is one, bounds amax and not the scale. NaN does not count in min and max, and becomes +448. A row of zeros keeps their signs; a row with
// an infinity has scale infinity (unless bounded), finite elements 0, infinite ones NaN.
#include "oracles/contracts/fp8_quant.hpp"

namespace assay {
namespace {

using namespace fp8_quant;

constexpr double kLeastScale = 1.0f / (448.0f * 512.0f);  // as FP32 has it

bool bounded(const Parameters& p) { return p.whole("bounded") != 0; }

std::vector<TensorSpec> tensors(const Parameters& p) {
  auto scale = rows_of({.name = "scale", .role = Role::output, .format = Format::fp32}, 1,
                       p.whole("d") > 0 ? p.whole("rows") : 0);  // of elements: none, no scale
  std::vector<TensorSpec> all{codes_spec(p), operand_spec(p), scale};
  const TensorSpec bound{.name = "scale_ub", .format = Format::fp32, .meaning = Meaning::scale, .huge = huge(p) / 4, .tiny = tiny(p)};
  if (bounded(p)) all.push_back(rows_of(bound, 1, 1));  // fills put it below the amax of most rows
  return all;
}

Oracle scale_step(const Problem& problem) {
  const Tensor& x = tensor(problem.before, "x");
  const double given = bounded(problem.parameters) ? tensor(problem.before, "scale_ub").value(0, 0) : INFINITY;
  const double most = std::isnan(given) ? INFINITY : std::max(given, 0.0);  // below 0 the floor stands as it does at 0
  return scale_oracle(problem.arithmetic, kLeastScale,
                      [&x, most](int64_t, int64_t row) { return std::min(amax(x, row, 0, x.spec.width()), most); });
}

// Rows of zeros, and rows whose scale is an odd number times a power of two. A bound makes some of them saturate, with the same odd number
// in all scales so that quotients stay exact.
void exact_contents(const Parameters& p, const RandomBits& random, Tensors& all) {
  const int64_t rows = p.whole("rows"), d = p.whole("d");
  auto unit_of = [&](uint64_t index) {
    return unit(bounded(p) ? (random(101, index) & ~uint64_t{3}) | (random(102, 0) & 3) : random(101, index));
  };
  for (int64_t row = 0; row < rows; row++) {
    const bool zeros = row + 1 < rows && random(103, uint64_t(row)) % 8 == 0;
    write_units(tensor(all, "x"), row, 0, d, zeros ? 0 : unit_of(uint64_t(row) + 1), random);
  }
  if (bounded(p)) tensor(all, "scale_ub").set_code(0, 0, encode(Format::fp32, kMost * unit_of(0)));
}

Contract contract() {
  return {
      .name = "fp8_quant_token",
      .formula = "scale = max(min(max|x|, scale_ub) / 448, 1 / (448 * 512)) of a row; y = e4m3(x / scale), saturating; NaN: 448",
      .parameters = parameters({whole("bounded", 0, 1, 0, "1: scale_ub bounds the largest magnitude of a row")}),
      .tensors = tensors,
      .from_shapes = from_shapes(),
      .steps = {{.name = "scale", .tensor = "scale", .prepare = scale_step},
                codes_step(Formula::division, kMost,
                           [](const Problem& problem) {
                             const Tensor& scale = tensor(problem.after, "scale");
                             return [&scale](int64_t row, int64_t) { return scale.value(0, row); };
                           })},
      .work = [](const Parameters& p) { return work(p, double(p.whole("rows")), 2); },
      .exact_contents = exact_contents,
      .alike = [](const Parameters& p) { return alike(p, {{"scale"}}); },
      .switches = {"bounded"},
      .slots = [](const Parameters&) { return std::vector<Slot>{staged_slot("scale", assumed::quotient()), staged_slot("quotient", assumed::quotient())}; },
  };
}

const Registered<Contract> registered{contract()};

}  // namespace
}  // namespace assay
