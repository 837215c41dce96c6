// What sm_90 allows a launch (CUDA C++ Programming Guide, technical specifications per compute capability).
#pragma once

#include <cstddef>
#include <string>

#include "kernels/simt/api.hpp"

namespace simt {

constexpr std::size_t kMaxSharedBytes = 227 << 10;     // static and dynamic, after cudaFuncSetAttribute
constexpr std::size_t kDefaultSharedBytes = 48 << 10;  // without it
constexpr std::size_t kSharedBytesPerMultiprocessor = 228 << 10;
constexpr std::size_t kReservedSharedBytesPerBlock = 1 << 10;
constexpr unsigned kMaxThreadsPerMultiprocessor = 2048;
constexpr unsigned kMaxBlocksPerMultiprocessor = 32;

struct Refusal {
  cudaError_t error = cudaSuccess;
  std::string text;
};

// The limit that the launch breaks, and what the CUDA runtime answers; cudaSuccess if it may start.
Refusal broken_limit(const Launch& launch);

// cudaFuncSetAttribute: dynamic shared memory beyond 48 KiB for one kernel. False if it is more than the card has.
bool allow_dynamic_shared(const void* kernel, std::size_t bytes);

}  // namespace simt
