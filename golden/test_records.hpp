// What the tests of this folder share: records of their own making, and a folder for files.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "golden/record.hpp"
#include "oracles/parameters.hpp"

namespace assay::golden {

/// An empty folder for one test, gone afterwards.
class InFolder : public testing::Test {
 protected:
  std::filesystem::path folder;

  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "assay_golden_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::filesystem::path file(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name, std::ios::binary) << text;
    return folder / name;
  }
};

inline std::string contents(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// The message of the T that f throws.
template <class T = BadInput, class F>
std::string complaint(F&& f) {
  try {
    f();
  } catch (const T& e) {
    return e.what();
  }
  return "no complaint";
}

inline Origin origin_on_gpu() {
  return {.backend = "cuda",
          .card = "Card",
          .toolkit = "CUDA 13.0, nvcc 13.0.88, sm_90, -fmad=false",
          .date = "2025-01-31T12:34:56Z",
          .compute_capability = 90,
          .multiprocessors = 132,
          .driver = 13010,
          .runtime = 13000};
}

/// Codes, tiles and a tensor without elements.
inline Records small_records() {
  Record first{.line = "silu_and_mul rows=1 d=3 fill=normal seed=1", .arithmetic = "sum: \xc3\xbc", .operands = ~uint64_t{0}};
  first.tensors = {{"a", Format::bf16, 1, 3, 0, 0, {0x3F80, 0x7FFF, 0}},
                   {"b", Format::e4m3fn, 2, 2, 0, 0, {1, 2, 3, 0x7F}},
                   {"c", Format::fp32, 0, 8, 0, 0, {}}};
  Record second{.line = "silu_and_mul rows=2 d=3 fill=normal seed=1", .operands = 7};
  second.tensors = {{"a", Format::bf16, 5, 9, 2, 4, {1, 2, 3, 4, 5, 6, 7, 8, ~uint64_t{0}}}};
  return {.subject = "silu_and_mul", .suite = "smoke", .multiply_adds = 1.5e6, .origin = origin_on_gpu(), .cases = {first, second}};
}

}  // namespace assay::golden
