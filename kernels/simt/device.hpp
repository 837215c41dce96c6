// Makes an unchanged CUDA source compile as C++ for the emulator. Kernel sources get it from kernels/launch.h.
//
// The CUDA headers come first, because they give the keywords their meaning for a plain host compiler (nothing); this header then gives
// them the emulator's. Vector types, half, bfloat16 and FP8 types and their host conversions are the toolkit's own.
// What has no model is a compile error that names what to use instead (device/unsupported.hpp); the toolkit's library functions run within
// their documented errors and are noted (device/library.hpp).
//
// Differs from nvcc in ways no compiler can tell: __CUDA_ARCH__ is not defined (host and device code are one pass); `extern __shared__`
// is left undefined (ASSAY_DYNAMIC_SHARED); a loop around a plain or volatile load ends in a report of the watchdog, because only the
// acquire loads of kernels/ptx.h, atomics and __nanosleep let others run; casts of NaN or out-of-range values to integers are the host's
// (device/conversion.hpp has the card's); static shared memory is not cleared between blocks, as on the card.
#pragma once

#ifdef __CUDACC__
#error "kernels/simt/device.hpp is for a host compiler; kernels include kernels/launch.h"
#endif

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/simt/api.hpp"
#include "kernels/simt/device/keywords.hpp"
// The order matters: keywords first, what has no model last, after every header that may name it.
#include "kernels/simt/device/approximation.hpp"
#include "kernels/simt/device/arithmetic.hpp"
#include "kernels/simt/device/atomic.hpp"
#include "kernels/simt/device/barrier.hpp"
#include "kernels/simt/device/bits.hpp"
#include "kernels/simt/device/conversion.hpp"
#include "kernels/simt/device/extremum.hpp"
#include "kernels/simt/device/half.hpp"
#include "kernels/simt/device/launch.hpp"
#include "kernels/simt/device/library.hpp"
#include "kernels/simt/device/memory.hpp"
#include "kernels/simt/device/shuffle.hpp"
#include "kernels/simt/device/unsupported.hpp"
#include "kernels/simt/device/vote.hpp"
