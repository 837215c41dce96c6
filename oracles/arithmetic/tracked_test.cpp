#include "oracles/arithmetic/tracked.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cfloat>
#include <random>
#include <vector>

#include "oracles/arithmetic/wide.hpp"

namespace assay {
namespace {

constexpr double kInflation = 1 + 0x1p-40;   // what the judge adds to a bound's total

class Random {
 public:
  explicit Random(uint64_t seed) : bits(seed) {}
  int below(int n) { return int(bits() % uint64_t(n)); }
  float real(int low_exponent, int high_exponent) {
    const float mantissa = 1 + float(bits() >> 41) * 0x1p-23f, x = std::ldexp(mantissa, low_exponent + below(high_exponent - low_exponent));
    return below(2) ? x : -x;
  }
  float bf16(int low_exponent, int high_exponent) { return std::bit_cast<float>(std::bit_cast<uint32_t>(real(low_exponent, high_exponent)) & 0xFFFF0000u); }

 private:
  std::mt19937_64 bits;
};

float to_bf16(float x) {
  uint32_t b = std::bit_cast<uint32_t>(x);
  b += 0x7FFF + (b >> 16 & 1);
  return std::bit_cast<float>(b & 0xFFFF0000u);
}

Wide allowed(const Tracked<double>& x) { return Wide(x.bound.total()) * Wide(kInflation) + Wide(x.radius); }
Wide allowed(const Tracked<Wide>& x) { return Wide(x.bound.total()) * Wide(kInflation) + Wide(x.radius); }
template <class Real> Wide off(float got, const Tracked<Real>& x) { return abs(Wide(got) - Wide(x.value)); }
template <class Real> Tracked<Real> operand(float x) { return exactly(Real(x)); }

const Ops kOne{.count = 1};
const Fn kExp{.function = "exp", .relative = 0x1p-24 * (1 + 0x1p-20), .source = "FP64 exp rounded once"};
const Fn kRsqrt{.function = "rsqrt", .relative = 0x1p-24 * (1 + 0x1p-20), .source = "FP64 reciprocal root rounded once"};

struct Both {
  float seen;
  Tracked<double> fast;
  Tracked<Wide> wide;
};

Both leaf(float x) { return {x, operand<double>(x), operand<Wide>(x)}; }

enum class Step { multiply, add, divide, reciprocal_root, exponential, narrow };

const Arithmetic kPlain;

template <class Real>
Tracked<Real> advanced(Step step, const Tracked<Real>& a, const Tracked<Real>& b) {
  switch (step) {
    case Step::multiply: return apply(kPlain, kOne, a * b);
    case Step::add: return apply(kPlain, kOne, a + b);
    case Step::divide: return apply(kPlain, kOne, a / b);
    case Step::reciprocal_root: return apply(kPlain, kRsqrt, a, reciprocal_sqrt(a));
    case Step::exponential: return apply(kPlain, kExp, a, exponential(a));
    case Step::narrow: return cast(Round{Format::bf16}, a);
  }
  return a;
}

float advanced(Step step, float a, float b) {
  switch (step) {
    case Step::multiply: return a * b;
    case Step::add: return a + b;
    case Step::divide: return a / b;
    case Step::reciprocal_root: return float(1 / std::sqrt(double(a)));
    case Step::exponential: return float(std::exp(double(a)));
    case Step::narrow: return to_bf16(a);
  }
  return a;
}

bool sensible(Step step, const Both& a, const Both& b) {
  const double low_a = double(a.fast.value) - a.fast.radius - a.fast.bound.total();
  const double low_b = magnitude(b.fast.value) - b.fast.radius - b.fast.bound.total();
  if (step == Step::divide) return low_b > 0x1p-100;
  if (step == Step::reciprocal_root) return low_a > 0x1p-100;
  if (step == Step::exponential) return reach(a.fast) < 80;
  return true;
}

struct Attack {
  int steps = 0, violations_fast = 0, violations_wide = 0, violations_radius = 0, exact = 0, wrong_exact = 0;
};

void run_program(Random& random, int low_exponent, int high_exponent, Attack& attack) {
  Both x = leaf(random.real(low_exponent, high_exponent));
  for (int i = 0; i < 6; i++) {
    const Both y = random.below(4) == 0 ? x : leaf(random.below(4) == 0 ? float(random.below(9) - 4) : random.real(low_exponent, high_exponent));
    const auto step = Step(random.below(6));
    if (!sensible(step, x, y)) continue;
    x = {advanced(step, x.seen, y.seen), advanced(step, x.fast, y.fast), advanced(step, x.wide, y.wide)};
    if (reach(x.fast) > FLT_MAX / 512) return;
    attack.steps++;
    attack.violations_fast += off(x.seen, x.fast) > allowed(x.fast);
    attack.violations_wide += off(x.seen, x.wide) > allowed(x.wide);
    if (step == Step::narrow && x.fast.bound[Term::intermediate] != x.wide.bound[Term::intermediate]) return;
    attack.violations_radius += abs(x.wide.value - Wide(x.fast.value)) > Wide(x.fast.radius) * Wide(kInflation);
    const bool exact = x.fast.radius == 0 && x.fast.bound.total() == 0;
    attack.exact += exact;
    attack.wrong_exact += exact && double(x.seen) != x.fast.value;
    if (magnitude(x.fast.value) < 0x1p-300 && x.fast.value != 0) return;
  }
}

TEST(Tracked, RandomProgramsInFloatStayInsideTheirBounds) {
  Random random(1);
  Attack attack;
  for (int i = 0; i < 4000; i++) run_program(random, -12, 12, attack);
  EXPECT_EQ(attack.violations_fast, 0);
  EXPECT_EQ(attack.violations_wide, 0);
  EXPECT_EQ(attack.violations_radius, 0);
  EXPECT_EQ(attack.wrong_exact, 0);
  EXPECT_GT(attack.steps, 8000);
  EXPECT_GT(attack.exact, 100);
}

TEST(Tracked, RandomProgramsNearUnderflowStayInsideTheirBounds) {
  Random random(2);
  Attack attack;
  for (int i = 0; i < 4000; i++) run_program(random, -120, 20, attack);
  EXPECT_EQ(attack.violations_fast, 0);
  EXPECT_EQ(attack.violations_wide, 0);
  EXPECT_EQ(attack.violations_radius, 0);
  EXPECT_EQ(attack.wrong_exact, 0);
  EXPECT_GT(attack.steps, 8000);
}

template <class F>
double worst_share(uint64_t seed, int tries, F&& sample) {
  Random random(seed);
  Wide worst = 0;
  for (int i = 0; i < tries; i++) {
    const auto [seen, tracked] = sample(random);
    if (tracked.bound.total() > 0) worst = std::max(worst, Wide(off(seen, tracked) / Wide(tracked.bound.total())));
  }
  return static_cast<double>(worst);
}

using Sample = std::pair<float, Tracked<Wide>>;

TEST(Tracked, TheBoundOfASingleOperationIsAlmostReached) {
  for (Step step : {Step::multiply, Step::add, Step::divide}) {
    const double share = worst_share(3, 20000, [&](Random& random) {
      const float a = std::fabs(random.real(0, 1)), b = std::fabs(random.real(step == Step::add ? -20 : 0, 1));
      return Sample{advanced(step, a, b), advanced(step, operand<Wide>(a), operand<Wide>(b))};
    });
    EXPECT_GT(share, 0.99) << int(step);
    EXPECT_LE(share, kInflation) << int(step);
  }
}

TEST(Tracked, TheUnderflowTermIsAlmostReached) {
  const double share = worst_share(4, 20000, [](Random& random) {
    const float a = random.real(-75, -73), b = random.real(-75, -73);
    auto product = apply(kPlain, kOne, operand<Wide>(a) * operand<Wide>(b));
    product.bound[Term::operation] = 0;
    return Sample{a * b, product};
  });
  EXPECT_GT(share, 0.99);
  EXPECT_LE(share, kInflation);
}

TEST(Tracked, TheUnderflowTermIsNeeded) {
  const double share = worst_share(4, 1000, [](Random& random) {
    const float a = random.real(-75, -73), b = random.real(-75, -73);
    auto product = apply(kPlain, kOne, operand<Wide>(a) * operand<Wide>(b));
    product.bound[Term::underflow] = 0;
    return Sample{a * b, product};
  });
  EXPECT_GT(share, 1000);
}

TEST(Tracked, TheErrorOfAFunctionIsAlmostReachedByOneThatUsesItUp) {
  const Fn loose{.function = "exp", .relative = 0x1p-12, .source = "test"};
  const double share = worst_share(5, 2000, [&](Random& random) {
    const float a = random.real(-3, 3);
    const auto argument = operand<Wide>(a);
    const double limit = std::exp(double(a)) * (1 + (random.below(2) ? 1 : -1) * (0x1p-12 - 0x1p-23));
    return Sample{float(limit), apply(kPlain, loose, argument, exponential(argument))};
  });
  EXPECT_GT(share, 0.99);
  EXPECT_LE(share, kInflation);
}

TEST(Tracked, ErrorsOfOperandsAreCarriedThroughEveryOperation) {
  Random random(6);
  double worst[5] = {};
  for (int i = 0; i < 5000; i++) {
    const Wide a = random.real(0, 2), b = random.real(0, 2), c = abs(a);
    auto uncertain = [&](const Wide& x) {
      Tracked<Wide> t = exactly(x);
      t.bound[Term::function] = 0x1p-4;
      return t;
    };
    auto share = [](const Tracked<Wide>& t, const Wide& seen) { return static_cast<double>(Wide(abs(seen - t.value) / Wide(t.bound.total()))); };
    for (int sa : {-1, 1})
      for (int sb : {-1, 1}) {
        const Wide x = a + sa * Wide(0x1p-4), y = b + sb * Wide(0x1p-4), z = c + sa * Wide(0x1p-4);
        worst[0] = std::max(worst[0], share(uncertain(a) * uncertain(b), x * y));
        worst[1] = std::max(worst[1], share(uncertain(a) + uncertain(b), x + y));
        worst[2] = std::max(worst[2], share(uncertain(a) / uncertain(b), x / y));
        worst[3] = std::max(worst[3], share(reciprocal_sqrt(uncertain(c)), 1 / sqrt(z)));
        worst[4] = std::max(worst[4], share(exponential(uncertain(a)), exp(x)));
      }
  }
  for (int i = 0; i < 5; i++) {
    EXPECT_LE(worst[i], kInflation) << i;
    EXPECT_GT(worst[i], 0.99) << i;
  }
}

TEST(Tracked, AnInfiniteBoundWhereTheDenominatorMayBeZero) {
  Tracked<double> small = exactly(0.25);
  small.bound[Term::function] = 0.25;
  EXPECT_EQ((exactly(1.0) / small).bound.total(), INFINITY);
  EXPECT_EQ(reciprocal_sqrt(small).bound.total(), INFINITY);
  small.bound[Term::function] = 0.125;
  EXPECT_LT((exactly(1.0) / small).bound.total(), INFINITY);
}

TEST(Tracked, ExactResiduesSeeExactlyWhatFp64Loses) {
  Random random(7);
  for (int i = 0; i < 20000; i++) {
    const double a = double(random.real(-20, 20)) * random.real(0, 4), b = double(random.real(-60, 20)) * random.real(0, 4);
    const auto sum = exactly(a) + exactly(b), product = exactly(a) * exactly(b);
    EXPECT_EQ(Wide(sum.radius), abs(Wide(a) + Wide(b) - Wide(sum.value)));
    EXPECT_EQ(Wide(product.radius), abs(Wide(a) * Wide(b) - Wide(product.value)));
  }
}

TEST(Tracked, TheRadiusOfADivisionIsAlmostReached) {
  Random random(8);
  double worst = 0;
  for (int i = 0; i < 20000; i++) {
    const double a = std::fabs(double(random.real(0, 1)) * random.real(0, 1)), b = std::fabs(double(random.real(0, 1)));
    const auto fast = exactly(a) / exactly(b);
    worst = std::max(worst, static_cast<double>(Wide(abs(Wide(a) / Wide(b) - Wide(fast.value)) / Wide(fast.radius))));
  }
  EXPECT_LE(worst, 1);
  EXPECT_GT(worst, 0.95);
}

TEST(Tracked, RepresentableResultsCarryNoError) {
  for (const auto& x : {exactly(3.0) * exactly(5.0), exactly(3.0) + exactly(-5.0), exactly(0x1p-149) + exactly(0.0), exactly(16777216.0)}) {
    const auto y = apply(kPlain, kOne, x);
    EXPECT_EQ(y.radius, 0);
    EXPECT_EQ(y.bound.total(), 0) << y.value;
  }
  EXPECT_GT(apply(kPlain, kOne, exactly(16777217.0)).bound.total(), 0);
  EXPECT_GT(apply(kPlain, kOne, exactly(0x1p-150)).bound.total(), 0);
  EXPECT_GT(apply(kPlain, Ops{.format = Format::bf16}, exactly(257.0)).bound.total(), 0);
  EXPECT_EQ(apply(kPlain, Ops{.count = 0}, exactly(0.1)).bound.total(), 0);
}

TEST(Tracked, TwoRoundingsMayMissARepresentableResult) {
  int missed = 0;
  for (int n = 1; n < 1000; n++) {
    const float seen = float(n) * (1.0f / float(n));
    missed += seen != 1;
    const auto fast = apply(kPlain, Ops{.count = 2}, exactly(1.0));
    const auto wide = apply(kPlain, Ops{.count = 2}, exactly(Wide(1)));
    EXPECT_LE(off(seen, fast), allowed(fast)) << n;
    EXPECT_LE(off(seen, wide), allowed(wide)) << n;
  }
  EXPECT_GT(missed, 10);
}

TEST(Tracked, FlushedSubnormalsAreInsideTheBoundEvenWhereTheResultIsRepresentable) {
  Arithmetic flushing;
  flushing.flush_subnormals = true;
  for (double x : {0x1p-149, 0x1.8p-127, -0x1p-127}) {
    EXPECT_GE(apply(flushing, kOne, exactly(x)).bound.total(), std::fabs(x));
    EXPECT_EQ(apply(kPlain, kOne, exactly(x)).bound.total(), 0);
    EXPECT_GE(apply(flushing, Sum{.depth = 1}, exactly(x), std::fabs(x), 0x1p-149, 2).bound.total(), std::fabs(x));
  }
  EXPECT_EQ(apply(flushing, kOne, exactly(0x1p-126)).bound.total(), 0);
  EXPECT_EQ(apply(flushing, kOne, exactly(0.0)).bound.total(), 0);
}

// ---- sums

struct Node {
  float value;
  int depth;
};

Node joined(const Node& a, const Node& b) { return {a.value + b.value, std::max(a.depth, b.depth) + 1}; }

Node chain(std::vector<Node> terms) {
  Node sum = terms.front();
  for (size_t i = 1; i < terms.size(); i++) sum = joined(sum, terms[i]);
  return sum;
}

Node tree(std::vector<Node> terms) {
  for (; terms.size() > 1; terms.resize((terms.size() + 1) / 2))
    for (size_t i = 0; i < terms.size(); i += 2) terms[i / 2] = i + 1 < terms.size() ? joined(terms[i], terms[i + 1]) : terms[i];
  return terms.front();
}

Node any_order(std::vector<Node> terms, Random& random) {
  while (terms.size() > 1) {
    std::swap(terms[size_t(random.below(int(terms.size())))], terms.back());
    const Node last = terms.back();
    terms.pop_back();
    Node& other = terms[size_t(random.below(int(terms.size())))];
    other = joined(other, last);
  }
  return terms.front();
}

struct Terms {
  Wide sum = 0;
  double magnitude = 0;
  std::vector<Node> nodes;
};

Terms terms_of(const std::vector<float>& values) {
  Terms t;
  for (float x : values) t.sum += Wide(x), t.magnitude += std::fabs(double(x)), t.nodes.push_back({x, 0});
  t.magnitude *= 1 + 0x1p-40;
  return t;
}

Tracked<Wide> bounded(const Terms& t, int64_t depth, double grid = 0) {
  return apply(kPlain, Sum{.depth = depth}, exactly(t.sum), t.magnitude, grid, int64_t(t.nodes.size()));
}

TEST(TrackedSum, FloatSumsInAnyOrderStayInsideTheBoundOfTheirDepth) {
  Random random(9);
  for (int trial = 0; trial < 3000; trial++) {
    std::vector<float> values(size_t(2 + random.below(100)));
    const bool one_sided = random.below(2), wide_range = random.below(2);
    for (float& x : values) {
      x = wide_range ? random.real(-30, 10) : random.real(-2, 2);
      if (one_sided) x = std::fabs(x);
    }
    const Terms t = terms_of(values);
    for (const Node& n : {chain(t.nodes), tree(t.nodes), any_order(t.nodes, random)}) {
      const auto tracked = bounded(t, n.depth);
      EXPECT_LE(off(n.value, tracked), allowed(tracked));
    }
  }
}

TEST(TrackedSum, FusedChainsStayInsideTheBoundOfTheirDepth) {
  Random random(10);
  for (int trial = 0; trial < 3000; trial++) {
    const int n = 1 + random.below(100);
    float seen = 0;
    Terms t;
    for (int i = 0; i < n; i++) {
      const float a = random.real(-70, -60) * 0x1p60f, b = random.real(-4, 4);
      seen = std::fma(a, b, seen);
      t.sum += Wide(a) * Wide(b), t.magnitude += std::fabs(double(a) * b), t.nodes.push_back({a * b, 0});
    }
    t.magnitude *= 1 + 0x1p-40;
    const auto tracked = bounded(t, n);
    EXPECT_LE(off(seen, tracked), allowed(tracked));
  }
}

TEST(TrackedSum, FusedChainsThatUnderflowStayInsideTheBound) {
  Random random(11);
  int needed = 0;
  for (int trial = 0; trial < 3000; trial++) {
    const int n = 1 + random.below(50);
    float seen = 0;
    Terms t;
    for (int i = 0; i < n; i++) {
      const float a = random.real(-74, -70), b = random.real(-80, -70);
      seen = std::fma(a, b, seen);
      t.sum += Wide(a) * Wide(b), t.magnitude += std::fabs(double(a) * b), t.nodes.push_back({a * b, 0});
    }
    t.magnitude *= 1 + 0x1p-40;
    auto tracked = bounded(t, n);
    EXPECT_LE(off(seen, tracked), allowed(tracked));
    tracked.bound[Term::underflow] = 0;
    needed += off(seen, tracked) > allowed(tracked);
  }
  EXPECT_GT(needed, 0);
}

TEST(TrackedSum, TheBoundIsAlmostReachedAndHalfTheDepthIsNotEnough) {
  std::vector<float> values(1001, 0x1p-24f);
  values[0] = 1;
  const Terms t = terms_of(values);
  const Node sum = chain(t.nodes);
  ASSERT_EQ(sum.value, 1);
  EXPECT_GT(off(sum.value, bounded(t, sum.depth)), Wide(0.99) * allowed(bounded(t, sum.depth)));
  EXPECT_LE(off(sum.value, bounded(t, sum.depth)), allowed(bounded(t, sum.depth)));
  EXPECT_GT(off(sum.value, bounded(t, sum.depth / 2)), allowed(bounded(t, sum.depth / 2)));
}

TEST(TrackedSum, RepresentableSumsCarryNoErrorInAnyOrder) {
  Random random(12);
  for (int trial = 0; trial < 2000; trial++) {
    std::vector<float> values(size_t(2 + random.below(60)));
    const float grid = std::ldexp(1.0f, random.below(200) - 149);
    for (float& x : values) x = grid * float(random.below(1 << 18) - (1 << 17));
    const Terms t = terms_of(values);
    const double magnitude = t.magnitude / (1 + 0x1p-40);
    const auto tracked = apply(kPlain, Sum{.depth = 100}, exactly(t.sum), magnitude, double(grid), int64_t(values.size()));
    ASSERT_EQ(tracked.bound.total(), 0);
    EXPECT_EQ(Wide(chain(t.nodes).value), t.sum);
    EXPECT_EQ(Wide(tree(t.nodes).value), t.sum);
    EXPECT_EQ(Wide(any_order(t.nodes, random).value), t.sum);
  }
}

TEST(TrackedSum, TheCertificateEndsWhereFloatsEnd) {
  auto bound = [](double magnitude, double grid) { return apply(kPlain, Sum{.depth = 1}, exactly(magnitude), magnitude, grid, 2).bound.total(); };
  EXPECT_EQ(16777215.0f + 1.0f, 16777216);
  EXPECT_EQ(bound(16777216, 1), 0);
  EXPECT_NE(double(16777216.0f + 1.0f), 16777217);
  EXPECT_GE(bound(16777217, 1), 1);
  EXPECT_GT(bound(16777216, 0.5), 0);
  EXPECT_GT(bound(1, 0), 0);
  EXPECT_EQ(bound(0x1p-149, 0x1p-149), 0);
  EXPECT_GE(bound(0x1p-150, 0x1p-150), 0x1p-150);
}

// ---- casts

TEST(TrackedCast, AnExactValueIsRoundedOnceAndCarriesNoError) {
  Random random(13);
  for (int i = 0; i < 10000; i++) {
    const float x = random.real(-140, 120);
    const auto fast = cast(Round{Format::bf16}, operand<double>(x));
    const auto wide = cast(Round{Format::bf16}, operand<Wide>(x));
    EXPECT_EQ(fast.value, to_bf16(x));
    EXPECT_EQ(static_cast<double>(wide.value), to_bf16(x));
    EXPECT_EQ(fast.bound.total() + fast.radius + wide.bound.total() + wide.radius, 0);
  }
}

TEST(TrackedCast, AllCodesThatTheRoundingMayGiveAreInside) {
  Random random(14);
  int single = 0, several = 0;
  for (int i = 0; i < 20000; i++) {
    const float center = random.real(-3, 3), width = std::ldexp(1.0f, -6 - random.below(12));
    auto x = operand<double>(center);
    x.bound[Term::operation] = width;
    const auto result = cast(Round{Format::bf16}, x);
    (result.bound.total() == 0 ? single : several)++;
    for (float at : {-1.0f, -0.5f, 0.0f, 0.5f, 1.0f}) {
      const float code = to_bf16(center + at * width * (1 - 0x1p-10f));
      EXPECT_LE(off(code, result), allowed(result));
    }
  }
  EXPECT_GT(single, 1000);
  EXPECT_GT(several, 1000);
}

TEST(TrackedCast, TwoCandidatesAreTheEndsOfTheInterval) {
  auto x = exactly(1 + 0x1p-8);
  EXPECT_EQ(cast(Round{Format::bf16}, x).value, 1);
  x.bound[Term::operation] = 0x1p-30;
  const auto result = cast(Round{Format::bf16}, x);
  EXPECT_EQ(result.value - result.bound[Term::intermediate], 1);
  EXPECT_EQ(result.value + result.bound[Term::intermediate], 1 + 0x1p-7);
  EXPECT_EQ(result.bound.total(), result.bound[Term::intermediate]);
  EXPECT_EQ(result.radius, 0);
}

TEST(TrackedCast, DigitsBeyondDoubleDecideATie) {
  const Wide tie = Wide(1) + Wide(0x1p-8), little = Wide(0x1p-200);
  EXPECT_LE(abs(cast(Round{Format::bf16}, exactly(Wide(tie + little))).value - Wide(1 + 0x1p-7)), cast(Round{Format::bf16}, exactly(Wide(tie + little))).bound.total());
  EXPECT_LE(abs(cast(Round{Format::bf16}, exactly(Wide(tie - little))).value - Wide(1)), cast(Round{Format::bf16}, exactly(Wide(tie - little))).bound.total());
}

// ---- from wide to decided

TEST(Decided, IsTheIntervalOfTheInflatedBound) {
  auto x = exactly(Wide(3));
  x.bound[Term::operation] = 0.5;
  const Decided d = decided(x);
  EXPECT_EQ(d.value, 3);
  EXPECT_EQ(d.bound.total(), 0.5);
  EXPECT_EQ(encode(Format::fp32, d.low), encode(Format::fp32, 2.5));
  EXPECT_EQ(encode(Format::fp32, d.high), encode(Format::fp32, 3.5));
  EXPECT_LT(std::ldexp(double(d.low.significand), d.low.exponent), 2.5);
  EXPECT_GT(std::ldexp(double(d.high.significand), d.high.exponent), 3.5);
}

TEST(Decided, WithoutABoundIsTheValueItself) {
  const Decided d = decided(exactly(Wide(-0.1)));
  EXPECT_EQ(std::ldexp(double(d.low.significand), d.low.exponent), 0.1);
  EXPECT_TRUE(d.low.negative && d.high.negative);
  EXPECT_EQ(d.low.significand, d.high.significand);
}

}  // namespace
}  // namespace assay
