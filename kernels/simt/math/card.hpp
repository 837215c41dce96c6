// The card's elementary functions for host code that asks which of them a kernel uses: the bits of sm_90, as device/approximation.hpp gives
// them to emulated kernels.
#pragma once

namespace simt::card {

float fast_exp(float x);              // __expf
float reciprocal_sqrt(float x);       // rsqrtf
float fast_reciprocal(float x);       // __fdividef(1, x)
float fast_divide(float a, float b);  // __fdividef

}  // namespace simt::card
