#include <fmt/format.h>

#include <cmath>

#include "fixtures/fill/random.hpp"
#include "properties/identify/product.hpp"

namespace assay::properties {

Input cancelling(Input input, const ProductKind& kind, uint64_t seed, const std::vector<bool>& alone) {
  // E4M3 has 4 bits, and reaches from 2^17 down to 2^-18 only with weights of both ends.
  const bool fp8 = kind.operands == Format::e4m3fn;
  const std::vector<double> last_weights = fp8 ? std::vector<double>{256, 256, 16, 1, 0x1p-4, 0x1p-8} : std::vector<double>(3, 1.0);
  const auto terms = int64_t(last_weights.size());
  Tensor &x = tensor(input.operands, kind.x), &w = tensor(input.operands, kind.w);
  const int64_t k = x.spec.width();
  if (k < 2 * terms) return input;
  input.name += fmt::format(" with terms over 12 octaves{}, the last {} of them taking y[m, m mod {}] back",
                            alone.empty() ? "" : " in one part", terms, kColumns);
  const Stream stream(seed, "octaves");
  auto spread = [&](Tensor& t, uint32_t use, int64_t row, int64_t i) {
    const int octave = (fp8 ? 5 : 0) - int(stream.below(12, uint64_t(row * k + i), use));
    t.set_code(row, i, encode(t.spec.format, std::ldexp(t.value(row, i), octave), Overflow::saturate));
  };
  const bool dense = !kind.scales_weights;
  for (int64_t m = 0; m < x.spec.rows(); m++)
    for (int64_t i = 0; i < k; i++) {
      spread(x, 0, m, i);
      if (i >= k - terms || (!alone.empty() && !alone[size_t(i)])) x.set_code(m, i, 0);
    }
  for (int64_t n = 0; dense && n < w.spec.rows(); n++)
    for (int64_t i = 0; i < k; i++) {
      spread(w, 1, n, i);
      if (i >= k - terms) w.set_code(n, i, encode(w.spec.format, last_weights[size_t(i - (k - terms))]));
    }
  const ProductView view = kind.view(input.operands, kColumns);
  for (size_t m = 0; m < view.a.size(); m++) {
    const size_t n = m % view.step.size();
    auto weight = [&](size_t i) {
      return view.step[n][i] * (view.scale.empty() ? 1 : view.scale[n][i]) * (view.a_scale.empty() ? 1 : view.a_scale[m][i]);
    };
    double rest = 0;
    for (size_t i = 0; i < size_t(k - terms); i++) rest += view.a[m][i] * weight(i);
    for (auto i = size_t(k - terms); i < size_t(k); i++) {
      if (weight(i) == 0) continue;
      const uint64_t code = encode(x.spec.format, -rest / weight(i), Overflow::saturate);
      x.set_code(int64_t(m), int64_t(i), code);
      rest += decode(x.spec.format, code) * weight(i);
    }
  }
  for (Tensor& t : input.operands) t.random_signs = false;
  return input;
}

}  // namespace assay::properties
