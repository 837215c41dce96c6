// The float overloads of <cmath> are inline and would reach the host's library unseen: a call is a compile error that names the function
// to call instead.
#pragma once
#pragma GCC system_header  // GCC has no switch for its warning that an inline function gets the attribute noinline

#include <cmath>

#define SIMT_STD(name, ...)                                                                                                          \
  __attribute__((noinline, error("std::" #name " of a float would reach the host's library: use " #name "f"))) constexpr float name( \
      __VA_ARGS__);
#define SIMT_STD_OF_ONE(name) SIMT_STD(name, float)
#define SIMT_STD_OF_TWO(name) SIMT_STD(name, float, float)
namespace std {
SIMT_STD_OF_ONE(exp2)
SIMT_STD_OF_ONE(exp)
SIMT_STD_OF_ONE(expm1)
SIMT_STD_OF_ONE(log)
SIMT_STD_OF_ONE(log2)
SIMT_STD_OF_ONE(log10)
SIMT_STD_OF_ONE(log1p)
SIMT_STD_OF_ONE(sin)
SIMT_STD_OF_ONE(cos)
SIMT_STD_OF_ONE(tan)
SIMT_STD_OF_ONE(asin)
SIMT_STD_OF_ONE(acos)
SIMT_STD_OF_ONE(atan)
SIMT_STD_OF_ONE(sinh)
SIMT_STD_OF_ONE(cosh)
SIMT_STD_OF_ONE(tanh)
SIMT_STD_OF_ONE(asinh)
SIMT_STD_OF_ONE(acosh)
SIMT_STD_OF_ONE(atanh)
SIMT_STD_OF_ONE(erf)
SIMT_STD_OF_ONE(erfc)
SIMT_STD_OF_ONE(cbrt)
SIMT_STD_OF_TWO(pow)
SIMT_STD_OF_TWO(hypot)
SIMT_STD_OF_TWO(atan2)
}  // namespace std
#undef SIMT_STD_OF_TWO
#undef SIMT_STD_OF_ONE
#undef SIMT_STD
