#include "properties/identify/sigmoid.hpp"

#include <cmath>

#include "kernels/simt/math/card.hpp"

namespace assay::properties {
namespace {

namespace card = simt::card;

float fast(float x) { return card::fast_exp(x); }
/// Correctly rounded but for one argument in some 2^29, FP64's own error being below an ulp.
float exact(float x) { return float(std::exp(double(x))); }

template <float (*kExp)(float)>
float divided(float g) {
  return g / (1.0f + kExp(-g));
}
template <float (*kExp)(float)>
float by_reciprocal(float g) {
  return g * (1.0f / (1.0f + kExp(-g)));
}
template <float (*kExp)(float)>
float fast_divided(float g) {
  return card::fast_divide(g, 1.0f + kExp(-g));
}
template <float (*kExp)(float)>
float by_fast_reciprocal(float g) {
  return g * card::fast_reciprocal(1.0f + kExp(-g));
}

constexpr const char *kQuotient = "g / (1 + e), rounded once", *kReciprocal = "g * (1 / (1 + e)), two roundings",
                     *kFast = "__fdividef(g, 1 + e)", *kFastReciprocal = "g * __fdividef(1, 1 + e)";

template <float (*kExp)(float)>
void add(std::vector<Silu>& all, const char* name) {
  all.push_back({name, kQuotient, divided<kExp>});
  all.push_back({name, kReciprocal, by_reciprocal<kExp>});
  all.push_back({name, kFast, fast_divided<kExp>});
  all.push_back({name, kFastReciprocal, by_fast_reciprocal<kExp>});
}

}  // namespace

const std::vector<Silu>& silu_variants() {
  static const std::vector<Silu> all = [] {
    std::vector<Silu> some;
    add<fast>(some, "__expf");
    add<exact>(some, "correctly rounded");
    return some;
  }();
  return all;
}

Arithmetic& declare(Arithmetic& a, const Silu& s) {
  // Half an ulp for the correctly rounded one; a fast quotient is documented at 2 ulp, and half of one for its last rounding.
  const Fn exact_exp{.function = "exp", .relative = 0x1p-24, .source = "correctly rounded"};
  const int roundings = s.division == kQuotient ? 1 : s.division == kReciprocal ? 2 : s.division == kFast ? 5 : 6;
  return a.with("exp", s.exponential == "__expf" ? gpu::fast_expf() : exact_exp)
      .with("one_plus", Ops{})
      .with("divide", Ops{.count = roundings});
}

}  // namespace assay::properties
