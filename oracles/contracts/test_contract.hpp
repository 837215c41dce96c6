// What the tests of the contracts share: one problem with operands set by hand, and what its oracle says of an element.
#pragma once
#include <gtest/gtest.h>

#include <random>

#include "oracles/arithmetic/wide.hpp"
#include "oracles/contract.hpp"

namespace assay {

inline constexpr double kInflation = 1 + 0x1p-40;   // what the judge adds to a bound's total

inline Wide wide_of(const Exact& x) {
  const Wide magnitude = ldexp(Wide(x.significand), x.exponent);
  return x.negative ? Wide(-magnitude) : magnitude;
}

struct Posed {
  const Contract& contract;
  Parameters parameters;
  Arithmetic arithmetic;
  Tensors before, after;

  Posed(std::string_view name, const std::vector<Setting>& settings, Arithmetic declared) : contract(*find<Contract>(name)), arithmetic(std::move(declared)) {
    std::vector<Setting> all;
    for (const Parameter& p : contract.parameters) all.push_back({p.name, p.standard});
    parameters = Parameters(std::move(all));
    for (const Setting& s : settings) parameters.set(s.name, s.value);
    for (const TensorSpec& spec : contract.tensors(parameters)) before.push_back(make_tensor(spec));
    after = before;
  }

  void set(std::string_view name, int64_t row, int64_t column, double value) {
    Tensor& t = tensor(before, name);
    t.set_code(row, column, encode(t.spec.format, value));
    tensor(after, name) = t;
  }
  double value(std::string_view name, int64_t row, int64_t column) const { return tensor(before, name).value(row, column); }

  Problem problem() const { return {parameters, before, after, arithmetic}; }
  Expected expected(int64_t row, int64_t column, size_t step = 0) const {
    Expected e;
    contract.steps[step].prepare(problem()).expect({&row, 1}, {&column, 1}, {&e, 1});
    return e;
  }
  Decided decided(int64_t row, int64_t column, size_t step = 0) const { return contract.steps[step].prepare(problem()).decide(row, column); }
};

/// Both passes of the oracle against a reference of the test's own.
inline void expect_agreement(const Posed& p, int64_t row, int64_t column, const Wide& reference, size_t step = 0) {
  const Expected fast = p.expected(row, column, step);
  const Decided sure = p.decided(row, column, step);
  ASSERT_TRUE(fast.inside);
  EXPECT_LE(abs(Wide(fast.value) - reference), Wide(fast.radius) * Wide(kInflation)) << row << ' ' << column << ": " << fast.value << " of " << reference;
  const Wide low = wide_of(sure.low), high = wide_of(sure.high), size = std::max(Wide(abs(low)), Wide(abs(high))) * Wide(0x1p-58);
  EXPECT_LE(abs((low + high) / 2 - reference), size) << row << ' ' << column;
  EXPECT_LE(abs((high - low) / 2 - Wide(sure.bound.total()) * Wide(kInflation)), size) << row << ' ' << column;
  EXPECT_LE(std::fabs(fast.bound.total() - sure.bound.total()), fast.radius + 0x1p-30 * sure.bound.total()) << to_text(fast.bound) << " and " << to_text(sure.bound);
}

/// Whether a value that an implementation may have before its last rounding lies inside what is allowed.
inline bool allows(const Expected& e, double seen) {
  return abs(Wide(seen) - Wide(e.value)) <= Wide(e.bound.total()) * Wide(kInflation) + Wide(e.radius);
}

class Random {
 public:
  explicit Random(uint64_t seed) : bits(seed) {}
  int below(int n) { return int(bits() % uint64_t(n)); }
  bool coin() { return below(2) == 1; }
  double bf16(int low_exponent, int high_exponent) {
    const double x = std::ldexp(128.0 + below(128), low_exponent + below(high_exponent - low_exponent) - 7);
    return coin() ? x : -x;
  }
  double uniform() { return double(bits() >> 11) * 0x1p-53; }

 private:
  std::mt19937_64 bits;
};

/// The float in which an approximation with that relative error may end, at one of its ends or between.
inline float approximated(double exact, double relative, Random& random) {
  const double at = std::vector<double>{-1, 1, 2 * random.uniform() - 1}[size_t(random.below(3))];
  return float(exact * (1 + at * (relative - 0x1p-24)));
}

inline float rounded_to_bf16(float x) { return float(decode(Format::bf16, encode(Format::bf16, double(x)))); }

}  // namespace assay
