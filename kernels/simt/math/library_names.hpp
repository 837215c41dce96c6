// The toolkit's library functions that the emulator has without the card's bits. AssayImages.cmake reads the names here.
#pragma once

// X(NAME): double of one double, and NAMEf, float of one float.
// clang-format off
#define SIMT_LIBRARY_OF_ONE(X)                                                        \
  X(exp) X(exp10) X(expm1) X(log) X(log2) X(log10) X(log1p)                           \
  X(sin) X(cos) X(tan) X(asin) X(acos) X(atan)                                        \
  X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh)                                  \
  X(erf) X(erfc) X(cbrt)
// clang-format on
// The same of two arguments.
#define SIMT_LIBRARY_OF_TWO(X) X(pow) X(hypot) X(atan2)
// And, each its own: double exp2(double) (exp2f has the card's bits), void sincosf(float, float*, float*).
