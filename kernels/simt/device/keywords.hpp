// CUDA's keywords and built-in variables for the emulator.
#pragma once

#include "kernels/simt/api.hpp"

#undef __global__
#undef __device__
#undef __host__
#undef __shared__
#undef __constant__
#undef __managed__
#undef __grid_constant__
#undef __launch_bounds__
#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
// A block lives on one host thread from start to end, so a thread_local is its static shared memory. Not `static thread_local`:
// at block scope it is static anyway, and kernels also write `static __shared__`.
#define __shared__ thread_local

#define threadIdx (::simt::current->thread_index)
#define blockIdx (::simt::current->block_index)
#define blockDim (::simt::current->block_dim)
#define gridDim (::simt::current->grid_dim)
#define warpSize 32

// T* name: the block's dynamic shared memory, aligned to 128 bytes.
#define ASSAY_DYNAMIC_SHARED(T, name) T* name = static_cast<T*>(::simt::dynamic_shared())

namespace simt {

// As a default argument: the place of the call.
constexpr Site here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) { return {file, line}; }

}  // namespace simt
