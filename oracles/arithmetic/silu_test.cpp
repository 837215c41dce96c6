#include "oracles/arithmetic/silu.hpp"

#include <gtest/gtest.h>

#include <random>

#include "oracles/arithmetic/wide.hpp"

namespace assay {
namespace {

Arithmetic declared() { return Arithmetic().with("exp", gpu::fast_expf()).with("one_plus", Ops{}).with("divide", Ops{}); }

/// As kernels compute it, with a right exponential.
float computed(float g) { return g / (1.0f + float(std::exp(-double(g)))); }

Wide exact(double g) { return Wide(g) / (1 + exp(Wide(-g))); }

/// A gate that the implementation has off by at most `off`.
Tracked<double> gate_near(double g, double off) {
  Tracked<double> gate = exactly(g);
  gate.bound[Term::accumulate] = off;
  return gate;
}

template <class Inspect>
void for_random_gates(Inspect&& inspect) {
  std::mt19937_64 bits(1);
  auto uniform = [&] { return double(bits() >> 11) * 0x1p-53; };
  for (int i = 0; i < 20000; i++) {
    const double g = (2 * uniform() - 1) * std::exp(60 * uniform() - 10), off = std::exp(70 * uniform() - 20);
    inspect(double(float(g)), off, float(g + off * (i % 4 ? 2 * uniform() - 1 : i % 8 ? 1 : -1) * (1 - 0x1p-20)));
  }
}

TEST(Silu, AnUncertainGateStaysInsideItsBound) {
  for_random_gates([](double g, double off, float seen) {
    if (std::fabs(double(seen) - g) > off) return;   // rounding to float has moved it out
    const auto s = silu(gate_near(g, off), declared());
    ASSERT_TRUE(std::isfinite(s.bound.total())) << g << ' ' << off;
    EXPECT_LE(abs(Wide(s.value) - exact(g)), Wide(s.radius)) << g << ' ' << off;
    EXPECT_LE(abs(Wide(computed(seen)) - exact(g)), Wide(s.bound.total()) * Wide(1 + 0x1p-40) + Wide(s.radius)) << g << ' ' << off << ' ' << seen;
  });
}

TEST(Silu, TheBoundOfAnUncertainGateIsHardlyMoreThanTheUncertainty) {
  for_random_gates([](double g, double off, float) {
    if (off < 0x1p-6) return;
    const double allowed = silu(gate_near(g, off), declared()).bound.total();
    EXPECT_LE(allowed, 1.11 * off + 0x1p-12 * std::fabs(g)) << g << ' ' << off;
    if (g > 100 && off < g - 50) {
      EXPECT_LE(allowed, 1.11 * off + 0x1.1p-23 * g) << g << ' ' << off;
    }
  });
}

TEST(Silu, BothPassesSayTheSame) {
  for_random_gates([](double g, double off, float) {
    Tracked<Wide> wide = exactly(Wide(g));
    wide.bound[Term::accumulate] = off;
    const auto narrow = silu(gate_near(g, off), declared());
    const auto sure = silu(wide, declared());
    EXPECT_LE(abs(sure.value - Wide(narrow.value)), Wide(narrow.radius + sure.radius)) << g << ' ' << off;
    EXPECT_NEAR(narrow.bound.total(), sure.bound.total(), 1e-9 * sure.bound.total() + narrow.radius) << g << ' ' << off;
  });
}

TEST(Silu, SpecialGatesFollowTheFormula) {
  EXPECT_EQ(silu(exactly(INFINITY), declared()).value, INFINITY);
  EXPECT_TRUE(std::isnan(silu(exactly(-INFINITY), declared()).value));
  EXPECT_TRUE(std::isnan(silu(exactly(double(NAN)), declared()).value));
  EXPECT_EQ(silu(gate_near(-1e20, 1e10), declared()).value, 0);
  EXPECT_EQ(silu(gate_near(-1e20, 1e10), declared()).bound.total(), 0);
}

TEST(Silu, GatesThatFp32CannotHoldAreInfinite) {
  EXPECT_TRUE(std::isnan(silu(exactly(-3.5e38), declared()).value));
  EXPECT_EQ(silu(exactly(-3.3e38), declared()).value, 0);
  EXPECT_EQ(silu(exactly(3.5e38), declared()).value, 3.5e38);
}

}  // namespace
}  // namespace assay
