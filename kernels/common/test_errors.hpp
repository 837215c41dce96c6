// For the tests: how far elementary.cuh is from the exact functions, in U = 2^-24 of the exact value.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/common/elementary.cuh"
#include "kernels/launch.h"

namespace assay {

// The references are good to 2^-50 of their value: double functions of the C library (1 ulp) and, for small arguments, series whose first
// term left out is below that.
inline double exact_tanh(double a) {
  if (a < 0x1p-12) return a - a * a * a / 3;
  return a > 20 ? 1 : std::tanh(a);
}
inline double exact_erf(double a) {
  constexpr double kSlope = 0x1.20dd750429b6dp+0;  // 2 / sqrt(pi)
  if (a < 0x1p-13) return kSlope * (a - a * a * a / 3);
  return a > 8 ? 1 : std::erf(a);
}

struct Function {
  const char* name;
  float (*own)(float);
  double (*exact)(double);
  double bound;      // in U, as the header says it
  double underflow;  // allowed besides
};

inline const Function kTanh{"portable_tanh", [](float x) { return portable_tanh(x); }, exact_tanh, 3.34, 0};
inline const Function kErf{"portable_erf", [](float x) { return portable_erf(x); }, exact_erf, 2.16, 0x1p-150};

struct Worst {
  double error = 0;  // in U
  float argument = 0;
  std::size_t even = 0;  // arguments whose negative does not give the negative, bit for bit

  void take(const Worst& other) {
    if (other.error > error) error = other.error, argument = other.argument;
    even += other.even;
  }
};

// The arguments first, first + step, ... up to but without `end`, as bits of positive finite floats, and their negatives.
inline Worst worst(const Function& function, std::uint32_t first, std::uint32_t end, std::uint32_t step) {
  Worst found;
  for (std::uint64_t bits = first; bits < end; bits += step) {
    const float a = __uint_as_float(static_cast<std::uint32_t>(bits)), result = function.own(a);
    found.even += __float_as_uint(function.own(-a)) != (__float_as_uint(result) ^ 0x80000000u);
    const double exact = function.exact(a), off = std::fabs(result - exact) - function.underflow;
    if (off <= 0) continue;
    const double error = off / exact * 0x1p24;
    if (error > found.error) found.error = error, found.argument = a;
  }
  return found;
}

}  // namespace assay
