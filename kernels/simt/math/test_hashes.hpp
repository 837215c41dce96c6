// For the tests: the card's block hashes of a function.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "kernels/simt/math/archive.hpp"
#include "kernels/simt/math/measure/modelled.hpp"

namespace simt::measure {

// Nothing if the card has not been asked yet.
inline std::optional<std::vector<std::uint64_t>> measured_hashes(const char* name) {
  Archive archive;
  const std::string why = unpack(std::string(SIMT_TABLES "/hashes/") + name + ".gz", 4096 * sizeof(std::uint64_t), archive);
  if (why == "cannot be read") return std::nullopt;
  EXPECT_EQ(why, "");
  EXPECT_EQ(archive.label.name, name);
  EXPECT_EQ(checksum(archive.bytes), archive.label.checksum);
  std::vector<std::uint64_t> hashes(4096);
  EXPECT_EQ(archive.bytes.size(), hashes.size() * sizeof hashes[0]);
  std::memcpy(hashes.data(), archive.bytes.data(), std::min(archive.bytes.size(), hashes.size() * sizeof hashes[0]));
  return hashes;
}

// A test for each function; the parameter prints as its name.
class HashesTest : public testing::TestWithParam<Modelled> {
 protected:
  static std::vector<std::uint64_t> card() {
    const auto hashes = measured_hashes(GetParam().name);
    if (!hashes) throw std::runtime_error("unreachable: SetUp skips");
    return *hashes;
  }
  void SetUp() override {
    if (!measured_hashes(GetParam().name))
      GTEST_SKIP() << GetParam().name << " has not been measured on this architecture: run assay_measure_math";
  }
};

inline std::string name_of(const testing::TestParamInfo<Modelled>& info) { return info.param.name; }

inline auto every_function() {
  const auto functions = modelled_functions();
  return testing::ValuesIn(functions.begin(), functions.end());
}

}  // namespace simt::measure
