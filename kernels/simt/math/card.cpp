#include "kernels/simt/math/card.hpp"

#include "kernels/simt/device/approximation.hpp"

namespace simt {

float card::fast_exp(float x) { return __expf(x); }
float card::reciprocal_sqrt(float x) { return rsqrt(x); }
float card::fast_reciprocal(float x) { return divide_fast(1.0f, x); }
float card::fast_divide(float a, float b) { return divide_fast(a, b); }

}  // namespace simt
