// What every seeded defect and control exports. Four rows of 64 floats, 72 apart: x is an input and holds values, y is an output and holds
// none, z is in place and holds its index as an int.
#pragma once

#include "kernels/launch.h"

constexpr int kRows = 4, kColumns = 64, kStride = 72;

ASSAY_EXPORT cudaError_t defect(float* y, const float* x, int* z);
