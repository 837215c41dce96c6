// Device memory and the CUDA calls of the exercises: errors are exceptions. Include kernels/launch.h first.
#pragma once

#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/launch.h"
#include "kernels/simt/twin/exercise.hpp"
#include "kernels/simt/twin/operands.hpp"

namespace simt::twin {

inline void check(cudaError_t error, const char* call) {
  if (error != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorName(error) + ", " + cudaGetErrorString(error));
}

// An array in device memory, as big as `host` and equal to it at first.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<T>& host) : size_(host.size()) {
    check(cudaMalloc(reinterpret_cast<void**>(&data_), size_ * sizeof(T)), "cudaMalloc");
    check(cudaMemcpy(data_, host.data(), size_ * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  ~DeviceArray() { static_cast<void>(cudaFree(data_)); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() { return data_; }
  // Waits for the kernel first.
  std::vector<T> host() const {
    check(cudaDeviceSynchronize(), "the kernel");
    std::vector<T> values(size_);
    check(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

// Room for an answer: words that a kernel forgets keep a value that nothing computes.
class Answer : public DeviceArray<std::uint32_t> {
 public:
  explicit Answer(std::size_t words) : DeviceArray(Words(words, 0xeeeeeeeeu)) {}
};

// The operands' name for a type of the kernels.
template <class T>
constexpr Element element_of() {
  if (std::is_same_v<T, __nv_bfloat16>) return Element::bf16;
  if (std::is_same_v<T, __half>) return Element::fp16;
  return std::is_same_v<T, std::int8_t> ? Element::s8 : Element::e4m3;
}

// The first address from `shared` on that is a multiple of 1024, where every swizzle begins its pattern; ask for 1024 bytes more.
__device__ __forceinline__ unsigned char* aligned_to_1024(unsigned char* shared) {
  return shared + (1024 - reinterpret_cast<std::uintptr_t>(shared) % 1024) % 1024;
}

}  // namespace simt::twin
