#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "oracles/formats/format.hpp"

namespace assay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Rounding, e4m3fn_table) {
  const auto saturating = [](double x) { return encode(Format::e4m3fn, x, Overflow::saturate); };
  const auto plain = [](double x) { return encode(Format::e4m3fn, x, Overflow::to_infinity); };
  for (const auto& [x, code] : std::vector<std::pair<double, uint64_t>>{{0.0, 0x00},
                                                                        {-0.0, 0x80},
                                                                        {0x1p-10, 0x00},
                                                                        {std::nextafterf(0x1p-10f, 1), 0x01},
                                                                        {1.5 * 0x1p-9, 0x02},
                                                                        {2.5 * 0x1p-9, 0x02},
                                                                        {0x1p-9, 0x01},
                                                                        {0x1p-6, 0x08},
                                                                        {15.0 / 16 * 0x1p-6, 0x08},
                                                                        {0.9375, 0x37},
                                                                        {1.0, 0x38},
                                                                        {1.0625, 0x38},
                                                                        {1.1875, 0x3A},
                                                                        {448, 0x7E},
                                                                        {463.99, 0x7E},
                                                                        {464, 0x7E}}) {
    EXPECT_EQ(saturating(x), code) << x;
    EXPECT_EQ(plain(x), code) << x;
    if (x != 0) {
      EXPECT_EQ(saturating(-x), code | 0x80) << -x;
    }
  }
  for (const double x : {std::nextafter(464.0, 500.0), 480.0, 1e30, kInfinity}) {
    EXPECT_EQ(saturating(x), 0x7E) << x;
    EXPECT_EQ(saturating(-x), 0xFE) << -x;
    EXPECT_EQ(plain(x), 0x7F) << x;
    EXPECT_EQ(plain(-x), 0x7F) << -x;
  }
}

TEST(Rounding, e5m2_table) {
  const auto saturating = [](double x) { return encode(Format::e5m2, x, Overflow::saturate); };
  const auto plain = [](double x) { return encode(Format::e5m2, x, Overflow::to_infinity); };
  EXPECT_EQ(plain(57344), 0x7B);
  EXPECT_EQ(plain(61439), 0x7B);
  EXPECT_EQ(plain(std::nextafter(61440.0, 0.0)), 0x7B);
  EXPECT_EQ(plain(0x1p-16), 0x01);
  EXPECT_EQ(plain(0x1p-17), 0x00);
  for (const double x : {61440.0, 1e30, kInfinity}) {
    EXPECT_EQ(plain(x), 0x7C) << x;
    EXPECT_EQ(plain(-x), 0xFC) << -x;
    EXPECT_EQ(saturating(x), 0x7B) << x;
    EXPECT_EQ(saturating(-x), 0xFB) << -x;
  }
}

TEST(Rounding, bf16_and_fp16_facts) {
  EXPECT_EQ(encode(Format::bf16, 0x1.feffffp127), 0x7F7F);
  EXPECT_EQ(encode(Format::bf16, 0x1.ffp127), 0x7F80);
  EXPECT_EQ(encode(Format::bf16, 0x1.ffp127, Overflow::saturate), 0x7F7F);
  EXPECT_EQ(encode(Format::bf16, 1.00390625), 0x3F80);
  EXPECT_EQ(encode(Format::bf16, 1.01171875), 0x3F82);
  EXPECT_EQ(encode(Format::bf16, 0x1p-134), 0x0000);
  EXPECT_EQ(encode(Format::bf16, -0x1.8p-134), 0x8001);
  EXPECT_EQ(encode(Format::fp16, 65504), 0x7BFF);
  EXPECT_EQ(encode(Format::fp16, 65519.99), 0x7BFF);
  EXPECT_EQ(encode(Format::fp16, 65520), 0x7C00);
  EXPECT_EQ(encode(Format::fp16, 65520, Overflow::saturate), 0x7BFF);
  EXPECT_EQ(encode(Format::fp16, 0x1p-25), 0x0000);
  EXPECT_EQ(encode(Format::fp16, 0x1.8p-25), 0x0001);
}

TEST(Rounding, ue8m0_takes_the_nearest_power_of_two_and_the_even_code_half_way) {
  EXPECT_EQ(encode(Format::ue8m0, 1.0), 127);
  EXPECT_EQ(encode(Format::ue8m0, 1.5), 128);
  EXPECT_EQ(encode(Format::ue8m0, 3.0), 128);
  EXPECT_EQ(encode(Format::ue8m0, std::nextafter(3.0, 4.0)), 129);
  EXPECT_EQ(encode(Format::ue8m0, 1e-300), 0);
  EXPECT_EQ(encode(Format::ue8m0, 1.5 * 0x1p127), 254);
  EXPECT_EQ(encode(Format::ue8m0, 1.75 * 0x1p127), 255);
  EXPECT_EQ(encode(Format::ue8m0, 1e300, Overflow::saturate), 254);
}

TEST(Rounding, happens_once) {
  const double past_a_tie = 1 + 0x1p-8 + 0x1p-40;
  EXPECT_EQ(encode(Format::bf16, static_cast<float>(past_a_tie)), 0x3F80);
  EXPECT_EQ(encode(Format::bf16, past_a_tie), 0x3F81);
}

TEST(Rounding, a_sticky_bit_decides_a_tie) {
  const uint64_t tie = 0b1'0001;
  EXPECT_EQ(encode(Format::e4m3fn, Exact{false, tie, -4}), 0x38);
  EXPECT_EQ(encode(Format::e4m3fn, Exact{false, tie, -4, true}), 0x39);
  EXPECT_EQ(encode(Format::e4m3fn, Exact{true, (tie << 10) - 1, -14, true}), 0xB8);
  EXPECT_EQ(encode(Format::int8, Exact{false, 5, -1, true}), 3);
  EXPECT_EQ(encode(Format::int8, Exact{false, 5, -1}), 2);
  EXPECT_EQ(encode(Format::e4m3fn, Exact{false, uint64_t{1} << 63, -73}), 0x00);
  EXPECT_EQ(encode(Format::e4m3fn, Exact{false, uint64_t{1} << 63, -73, true}), 0x01);
}

TEST(Rounding, refuses_a_sticky_value_that_is_not_determined) {
  EXPECT_THROW(encode(Format::bf16, Exact{false, 1, 0, true}), std::invalid_argument);
  EXPECT_THROW(encode(Format::int64, Exact{false, 1, 0, true}), std::invalid_argument);
  EXPECT_THROW(encode(Format::bf16, Exact{false, 0, 0, true}), std::invalid_argument);
  EXPECT_THROW(encode(Format::ue8m0, Exact{false, 0, -127, true}), std::invalid_argument);
  EXPECT_THROW(encode(Format::int8, Exact{false, 0, 0, true}), std::invalid_argument);
  EXPECT_EQ(encode(Format::e4m3fn, Exact{false, 1, -200, true}), 0);
  EXPECT_EQ(encode(Format::e4m3fn, Exact{true, 0, -10, true}), 0x80);
  EXPECT_EQ(encode(Format::ue8m0, Exact{false, 0, -128, true}), 0);
  EXPECT_EQ(encode(Format::int8, Exact{false, 0, -1, true}), 0);
}

TEST(Rounding, holds_for_extreme_exponents) {
  for (const int32_t exponent : {std::numeric_limits<int32_t>::max(), 5000}) {
    EXPECT_EQ(encode(Format::bf16, Exact{true, ~uint64_t{0}, exponent, true}), 0xFF80);
    EXPECT_EQ(encode(Format::ue8m0, Exact{false, 1, exponent}, Overflow::saturate), 254);
    EXPECT_EQ(encode(Format::int64, Exact{true, 1, exponent}, Overflow::saturate), uint64_t{1} << 63);
    EXPECT_EQ(encode(Format::bf16, Exact{true, ~uint64_t{0}, -exponent, true}), 0x8000);
    EXPECT_EQ(encode(Format::int8, Exact{true, ~uint64_t{0}, -exponent, true}), 0);
    EXPECT_EQ(encode(Format::fp32, Exact{true, 0, exponent}), 0x80000000);
  }
}

}  // namespace
}  // namespace assay
