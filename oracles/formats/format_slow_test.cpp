#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "oracles/formats/format.hpp"

namespace assay {
namespace {

TEST(Fp32, every_code_has_its_value_and_every_midpoint_goes_to_the_even_neighbour) {
  uint64_t wrong = 0;
  for (uint32_t code = 0; code < 0x7F800000; ++code) {
    const double here = std::bit_cast<float>(code), above = code == 0x7F7FFFFF ? 0x1p128 : std::bit_cast<float>(code + 1);
    const double middle = (here + above) / 2;
    const uint32_t even = code + code % 2, negative = 0x80000000;
    wrong += decode(Format::fp32, code) != here || decode(Format::fp32, code | negative) != -here;
    wrong += encode(Format::fp32, here) != code || encode(Format::fp32, -here) != (code | negative);
    wrong += encode(Format::fp32, middle) != even || encode(Format::fp32, -middle) != (even | negative);
    wrong += encode(Format::fp32, std::bit_cast<double>(std::bit_cast<uint64_t>(middle) - 1)) != code;
    wrong += encode(Format::fp32, std::bit_cast<double>(std::bit_cast<uint64_t>(middle) + 1)) != code + 1;
    wrong += rank(Format::fp32, code) != code || rank(Format::fp32, code | negative) != -int64_t{code};
  }
  EXPECT_EQ(wrong, 0u);
}

TEST(Fp32, every_nan_is_one) {
  uint64_t wrong = 0;
  for (uint32_t code = 0x7F800001; code < 0x80000000; ++code)
    wrong += !is_nan(Format::fp32, code) || !is_nan(Format::fp32, code | 0x80000000) || !std::isnan(decode(Format::fp32, code));
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace assay
