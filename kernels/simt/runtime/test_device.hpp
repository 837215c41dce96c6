// For the tests: a fixture that configures the emulator and a vector in device memory.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/launch.h"
#include "kernels/simt/session.hpp"

namespace simt {

class Emulator : public testing::Test {
 protected:
  void SetUp() override { configure({.workers = 1}); }
  void TearDown() override { configure({}); }

  // Whether the last report holds all of these words.
  static testing::AssertionResult reported(std::initializer_list<const char*> words) {
    for (const char* word : words)
      if (last_report().find(word) == std::string::npos)
        return testing::AssertionFailure() << "no \"" << word << "\" in \"" << last_report() << '"';
    return testing::AssertionSuccess();
  }
};

template <class T>
class DeviceVector {
 public:
  explicit DeviceVector(std::size_t size, T value = {}) : size_(size) {
    cudaMalloc(reinterpret_cast<void**>(&data_), size * sizeof(T));
    for (std::size_t i = 0; i < size; ++i) data_[i] = value;
  }
  explicit DeviceVector(const std::vector<T>& values) : DeviceVector(values.size()) {
    for (std::size_t i = 0; i < values.size(); ++i) data_[i] = values[i];
  }
  ~DeviceVector() { cudaFree(data_); }
  DeviceVector(const DeviceVector&) = delete;
  DeviceVector& operator=(const DeviceVector&) = delete;

  T* data() { return data_; }
  T& operator[](std::size_t i) { return data_[i]; }
  std::vector<T> host() const { return {data_, data_ + size_}; }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

}  // namespace simt
