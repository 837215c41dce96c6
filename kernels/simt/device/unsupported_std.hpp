// The overloads of <cmath> that are inline and would reach the host's library unseen: a call is a compile error.
#pragma once
#pragma GCC system_header  // GCC has no switch for its warning that an inline function gets the attribute noinline

#include <cmath>

#define SIMT_STD(name) \
  __attribute__((noinline, error("std::" #name " has no bit model in the emulator: see device/approximation.hpp"))) constexpr float name
namespace std {
SIMT_STD(exp)(float);
SIMT_STD(exp2)(float);
SIMT_STD(expm1)(float);
SIMT_STD(log)(float);
SIMT_STD(log2)(float);
SIMT_STD(log10)(float);
SIMT_STD(log1p)(float);
SIMT_STD(sin)(float);
SIMT_STD(cos)(float);
SIMT_STD(tan)(float);
SIMT_STD(tanh)(float);
SIMT_STD(erf)(float);
SIMT_STD(pow)(float, float);
}  // namespace std
#undef SIMT_STD
