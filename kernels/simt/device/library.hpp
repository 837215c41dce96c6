// The toolkit's library functions: kernels that call them run, and the session knows that their bits are not the card's
// (library_functions_called() in session.hpp). Functions with the card's bits stand in approximation.hpp and arithmetic.hpp.
//
// The declarations give the C functions other assembler names, which the program defines (math/library.cpp): an image's call cannot reach
// the C library, and the C library's functions stay what they are. Needs -fno-builtin-NAME for each (ASSAY_EMULATED_BUILTINS), or the
// compiler would fold calls with constants unseen.
#pragma once

#include <cmath>

#include "kernels/simt/math/library_names.hpp"

extern "C" {
#define SIMT_OF_ONE(name)                              \
  double name(double) noexcept __asm__("simt_" #name); \
  float name##f(float) noexcept __asm__("simt_" #name "f");
SIMT_LIBRARY_OF_ONE(SIMT_OF_ONE)
#undef SIMT_OF_ONE
#define SIMT_OF_TWO(name)                                      \
  double name(double, double) noexcept __asm__("simt_" #name); \
  float name##f(float, float) noexcept __asm__("simt_" #name "f");
SIMT_LIBRARY_OF_TWO(SIMT_OF_TWO)
#undef SIMT_OF_TWO
double exp2(double) noexcept __asm__("simt_exp2");
void sincosf(float, float*, float*) noexcept __asm__("simt_sincosf");
}
