// What tests of the laws about all elements together share: results of a product without a kernel, made up from exact values, errors that a
// right one has, and wrong ones.
#pragma once
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "fixtures/judge/judge.hpp"

namespace assay {

enum class Ending : uint8_t { nearest, stochastic, toward_zero, half_away, half_up };  // how the last rounding is made

/// Results of a made-up product: x of N(0, 1) like sums of many terms, or on a grid; errors before the last rounding within `bound`.
struct Made {
  int64_t elements = 4096;
  double bound = 0x1p-6;   // four BF16 numbers on either side of 1
  double spread = 0x1p-9;  // of the errors, uniform on either side: as for 13-bit sums a small share of the bound
  double drift = 0;        // their mean, as declared, in the direction of x
  double factor = 1;       // a wrong scale
  double shift = 0;        // an undeclared mean of the errors, in the direction of x
  double grid = 0;         // x is a multiple of it; 0: anything
  double within = 2;       // how well spread and drift are declared to be known
  double rough = 1;        // errors are as many times as large as declared
  Ending ending = Ending::nearest;
};

/// What is left of a value in BF16.
inline uint64_t ended(Ending how, double value, double chance) {
  const uint64_t nearest = encode(Format::bf16, value);
  if (how == Ending::nearest) return nearest;
  const double at = decode(Format::bf16, nearest), size = std::fabs(value), step = ulp(Format::bf16, value);
  const bool below = std::fabs(at) <= size;                                                  // the nearest number is the one nearer to zero
  const double part = std::fabs(size - std::fabs(at)) / step, up = below ? part : 1 - part;  // of the way from the number nearer to zero
  const bool away = how == Ending::stochastic    ? chance < up
                    : how == Ending::toward_zero ? up >= 1
                                                 : up > 0.5 || (up == 0.5 && (how == Ending::half_away || value > 0));
  return away != below ? nearest : code_of_rank(Format::bf16, rank(Format::bf16, nearest) + (away == (value > 0) ? 1 : -1));
}

inline Verdict verdict_of(const Made& made, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> error(-made.spread, made.spread), chance(0, 1);
  std::vector<double> x(size_t(made.elements));
  Tensor y = make_tensor(rows_of({.name = "y", .role = Role::output, .format = Format::bf16}, 1, made.elements));
  for (int64_t i = 0; i < made.elements; i++) {
    double& exact = x[size_t(i)] = normal(random);
    if (made.grid > 0) exact = std::nearbyint(exact / made.grid) * made.grid;
    const double before = exact * made.factor + (made.drift + made.shift) * std::copysign(1, exact) + made.rough * error(random);
    y.set_code(0, i, ended(made.ending, before, made.ending == Ending::stochastic ? chance(random) : 0));
  }
  Contract contract{.name = "made_up"};
  contract.steps.push_back({.name = "product", .tensor = "y", .prepare = [&](const Problem&) {
                              return Oracle{by_row([&](int64_t, std::span<const int64_t> columns, std::span<Expected> out) {
                                              for (size_t i = 0; i < columns.size(); i++) {
                                                const double exact = x[size_t(columns[i])];
                                                out[i] = {.value = exact,
                                                          .drift = made.drift * std::copysign(1, exact),
                                                          .spread = made.spread / std::sqrt(3),
                                                          .within = made.within};
                                                out[i].bound[Term::accumulate] = made.bound;
                                              }
                                            }),
                                            {}};
                            }});
  contract.product = MatrixProduct{};
  const Verdict verdict = judge(contract, Parameters(), {}, {y}, Arithmetic());
  EXPECT_EQ(verdict.outcome, Outcome::pass) << verdict.reason;
  return verdict;
}

/// How many of `runs` outputs a law would accuse, at that chance of being wrong.
template <class Accuses>
int accused(Accuses accuses, const Made& made, int runs, double alpha, uint64_t seed) {
  int count = 0;
  for (int run = 0; run < runs; run++) count += accuses(verdict_of(made, seed + uint64_t(run)), alpha);
  return count;
}

}  // namespace assay
