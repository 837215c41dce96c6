// A kernel of an image of its own that calls library functions, for image_test.cpp.
#include "kernels/launch.h"

namespace {

__global__ void call_library(float* x) {
  x[0] = expf(x[0]);
  x[1] = sinf(x[1]) + cosf(x[1]);  // one call of sincosf, had the compiler its way
  x[2] = powf(x[2], 2.0f) + logf(2.0f);
  x[3] = static_cast<float>(tanh(static_cast<double>(x[3])));
}

}  // namespace

ASSAY_EXPORT cudaError_t library_calls(float* x) { return assay::launch(call_library, 1, 1, 0, nullptr, x); }
