#include "oracles/formats/format.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace assay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<FormatInfo> small_formats() {
  std::vector<FormatInfo> small;
  for (const FormatInfo& f : formats())
    if (f.bits <= 16) small.push_back(f);
  return small;
}

// The value of a code straight from the definition in the standards.
double defined_value(const FormatInfo& f, uint64_t code) {
  if (f.format == Format::int8) return static_cast<int8_t>(code);
  if (f.format == Format::u4b8) return static_cast<double>(code) - 8;
  if (f.format == Format::u4) return static_cast<double>(code);
  const uint64_t fraction = code % (1u << f.fraction_bits), exponent = (code >> f.fraction_bits) % (1u << f.exponent_bits);
  const double sign = f.has_sign && code >> (f.bits - 1) ? -1 : 1, significand = std::ldexp(fraction, -f.fraction_bits);
  if (exponent == 0 && f.has_zero) return sign * std::ldexp(significand, 1 - f.bias);
  return sign * std::ldexp(1 + significand, static_cast<int>(exponent) - f.bias);
}

class SmallFormat : public testing::TestWithParam<FormatInfo> {};
INSTANTIATE_TEST_SUITE_P(formats, SmallFormat, testing::ValuesIn(small_formats()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST_P(SmallFormat, every_code_has_the_value_of_the_definition) {
  const FormatInfo f = GetParam();
  for (uint64_t code = 0; code < code_count(f.format); ++code) {
    const double value = decode(f.format, code);
    EXPECT_EQ(is_nan(f.format, code), std::isnan(value));
    EXPECT_EQ(is_infinite(f.format, code), std::isinf(value));
    if (std::isfinite(value)) {
      ASSERT_EQ(value, defined_value(f, code)) << code;
    }
  }
}

TEST_P(SmallFormat, every_code_decodes_and_encodes_to_itself) {
  const FormatInfo f = GetParam();
  for (const Overflow overflow : {Overflow::saturate, Overflow::to_infinity})
    for (uint64_t code = 0; code < code_count(f.format); ++code) {
      if (is_infinite(f.format, code) && overflow == Overflow::saturate) continue;
      const uint64_t itself = is_nan(f.format, code) ? canonical_nan(f.format) : code;
      const double value = decode(f.format, code);
      ASSERT_EQ(encode(f.format, value, overflow), itself);
      if (std::isfinite(value)) {
        ASSERT_EQ(encode(f.format, exact(value), overflow), itself);
      }
    }
}

TEST_P(SmallFormat, ranks_order_the_codes_and_name_each_once) {
  const FormatInfo f = GetParam();
  std::set<int64_t> ranks;
  uint64_t nans = 0, negative_zeros = 0;
  for (uint64_t code = 0; code < code_count(f.format); ++code) {
    if (is_nan(f.format, code)) {
      ++nans;
      EXPECT_THROW(rank(f.format, code), std::domain_error);
      continue;
    }
    const int64_t place = rank(f.format, code);
    ranks.insert(place);
    const bool negative_zero = place == 0 && std::signbit(decode(f.format, code));
    negative_zeros += negative_zero;
    ASSERT_EQ(code_of_rank(f.format, place), negative_zero ? 0 : code);
  }
  EXPECT_EQ(ranks.size() + nans + negative_zeros, code_count(f.format));
  EXPECT_EQ(*ranks.begin(), lowest_rank(f.format));
  EXPECT_EQ(*ranks.rbegin(), highest_rank(f.format));
  EXPECT_EQ(highest_rank(f.format) - lowest_rank(f.format) + 1, static_cast<int64_t>(ranks.size()));
  for (int64_t place = lowest_rank(f.format); place < highest_rank(f.format); ++place)
    ASSERT_LT(decode(f.format, code_of_rank(f.format, place)), decode(f.format, code_of_rank(f.format, place + 1)));
}

TEST_P(SmallFormat, neighbours_are_one_rank_away_and_the_ends_have_none) {
  const FormatInfo f = GetParam();
  for (int64_t place = lowest_rank(f.format); place < highest_rank(f.format); ++place) {
    const uint64_t code = code_of_rank(f.format, place), above = code_of_rank(f.format, place + 1);
    ASSERT_EQ(next_up(f.format, code), above);
    ASSERT_EQ(next_down(f.format, above), code);
  }
  EXPECT_THROW(next_up(f.format, code_of_rank(f.format, highest_rank(f.format))), std::out_of_range);
  EXPECT_THROW(next_down(f.format, code_of_rank(f.format, lowest_rank(f.format))), std::out_of_range);
  EXPECT_THROW(code_of_rank(f.format, highest_rank(f.format) + 1), std::out_of_range);
  EXPECT_THROW(code_of_rank(f.format, lowest_rank(f.format) - 1), std::out_of_range);
}

TEST_P(SmallFormat, ulp_is_the_distance_to_the_next_larger_magnitude) {
  const FormatInfo f = GetParam();
  for (int64_t place = 0; place < rank(f.format, encode(f.format, f.max_finite)); ++place) {
    const double here = decode(f.format, code_of_rank(f.format, place)), above = decode(f.format, code_of_rank(f.format, place + 1));
    ASSERT_EQ(ulp(f.format, here), above - here);
    ASSERT_EQ(ulp(f.format, -(here + above) / 2), above - here);
  }
}

TEST(Format, limits_are_those_of_the_standards) {
  struct Limits {
    Format format;
    int bits;
    double max_finite, min_normal, min_subnormal;
  };
  for (const Limits& known : {Limits{Format::fp32, 32, 0x1.fffffep127, 0x1p-126, 0x1p-149},
                              {Format::bf16, 16, 0x1.fep127, 0x1p-126, 0x1p-133},
                              {Format::fp16, 16, 65504, 0x1p-14, 0x1p-24},
                              {Format::e4m3fn, 8, 448, 0x1p-6, 0x1p-9},
                              {Format::e5m2, 8, 57344, 0x1p-14, 0x1p-16},
                              {Format::ue8m0, 8, 0x1p127, 0x1p-127, 0x1p-127},
                              {Format::int8, 8, 127, 1, 1},
                              {Format::u4b8, 4, 7, 1, 1},
                              {Format::u4, 4, 15, 1, 1},
                              {Format::int32, 32, 2147483647, 1, 1},
                              {Format::int64, 64, 0x1.fffffffffffffp62, 1, 1}}) {
    const FormatInfo& f = info(known.format);
    EXPECT_EQ(f.bits, known.bits) << f.name;
    EXPECT_EQ(f.max_finite, known.max_finite) << f.name;
    EXPECT_EQ(f.min_normal, known.min_normal) << f.name;
    EXPECT_EQ(f.min_subnormal, known.min_subnormal) << f.name;
  }
}

TEST(Format, every_format_is_found_by_its_name_and_no_other) {
  int place = 0;
  for (const FormatInfo& f : formats()) {
    EXPECT_EQ(static_cast<int>(f.format), place++);
    EXPECT_EQ(&info(f.format), &f);
    EXPECT_EQ(format_named(f.name), f.format);
  }
  EXPECT_EQ(place, kFormats);
  EXPECT_EQ(format_named("fp8"), std::nullopt);
  EXPECT_EQ(format_named(""), std::nullopt);
}

TEST(Format, nan_is_written_as_the_gpu_writes_it) {
  EXPECT_EQ(canonical_nan(Format::fp32), 0x7FFFFFFF);
  EXPECT_EQ(canonical_nan(Format::bf16), 0x7FFF);
  EXPECT_EQ(canonical_nan(Format::fp16), 0x7FFF);
  EXPECT_EQ(canonical_nan(Format::e4m3fn), 0x7F);
  EXPECT_EQ(canonical_nan(Format::e5m2), 0x7F);
  EXPECT_EQ(canonical_nan(Format::ue8m0), 0xFF);
  EXPECT_THROW(canonical_nan(Format::int8), std::domain_error);
  EXPECT_EQ(encode(Format::e4m3fn, std::copysign(kNaN, -1.0), Overflow::saturate), 0x7F);
  EXPECT_THROW(encode(Format::u4, kNaN, Overflow::saturate), std::domain_error);
}

TEST(Format, nan_codes_are_two_in_e4m3fn_six_in_e5m2_one_in_ue8m0) {
  const auto nans = [](Format format) {
    std::set<uint64_t> codes;
    for (uint64_t code = 0; code < code_count(format); ++code)
      if (is_nan(format, code)) codes.insert(code);
    return codes;
  };
  EXPECT_EQ(nans(Format::e4m3fn), (std::set<uint64_t>{0x7F, 0xFF}));
  EXPECT_EQ(nans(Format::e5m2), (std::set<uint64_t>{0x7D, 0x7E, 0x7F, 0xFD, 0xFE, 0xFF}));
  EXPECT_EQ(nans(Format::ue8m0), (std::set<uint64_t>{0xFF}));
  EXPECT_TRUE(nans(Format::int8).empty());
}

TEST(Format, infinity_is_exact_or_clamped_and_throws_for_integers) {
  EXPECT_EQ(encode(Format::fp32, kInfinity), 0x7F800000);
  EXPECT_EQ(encode(Format::fp32, -kInfinity), 0xFF800000);
  EXPECT_EQ(encode(Format::bf16, -kInfinity, Overflow::saturate), 0xFF7F);
  EXPECT_EQ(encode(Format::e4m3fn, kInfinity), 0x7F);
  EXPECT_EQ(encode(Format::e5m2, -kInfinity), 0xFC);
  EXPECT_EQ(encode(Format::ue8m0, kInfinity), 0xFF);
  EXPECT_EQ(encode(Format::ue8m0, kInfinity, Overflow::saturate), 0xFE);
  EXPECT_THROW(encode(Format::ue8m0, -kInfinity, Overflow::saturate), std::domain_error);
  EXPECT_EQ(encode(Format::int8, -kInfinity, Overflow::saturate), 0x80);
  EXPECT_THROW(encode(Format::int8, kInfinity), std::domain_error);
  EXPECT_EQ(decode(Format::e5m2, 0xFC), -kInfinity);
}

TEST(Format, integers_round_half_to_even_and_clamp_at_their_ends) {
  const auto int8 = [](double value) { return decode(Format::int8, encode(Format::int8, value, Overflow::saturate)); };
  EXPECT_EQ(int8(0.5), 0);
  EXPECT_EQ(int8(1.5), 2);
  EXPECT_EQ(int8(-2.5), -2);
  EXPECT_EQ(int8(std::nextafter(2.5, 3.0)), 3);
  EXPECT_EQ(int8(127.5), 127);
  EXPECT_EQ(int8(-128.5), -128);
  EXPECT_EQ(int8(-1e300), -128);
  EXPECT_EQ(encode(Format::int8, 127.49), 0x7F);
  EXPECT_EQ(encode(Format::int8, -128.5), 0x80);
  EXPECT_THROW(encode(Format::int8, 127.5), std::domain_error);
  EXPECT_THROW(encode(Format::u4, -0.51), std::domain_error);
  EXPECT_EQ(encode(Format::u4, -0.5), 0);
  EXPECT_EQ(encode(Format::int8, -0.0), 0);
  EXPECT_EQ(encode(Format::u4b8, -0.0), 8);
  EXPECT_EQ(encode(Format::u4b8, -100, Overflow::saturate), 0);
  EXPECT_EQ(encode(Format::u4, -100, Overflow::saturate), 0);
}

TEST(Format, index_formats_keep_every_whole_number) {
  EXPECT_EQ(encode(Format::int32, -1), 0xFFFFFFFF);
  EXPECT_EQ(decode(Format::int32, 0x80000000), -2147483648.0);
  EXPECT_EQ(encode(Format::int32, 3e9, Overflow::saturate), 0x7FFFFFFF);
  EXPECT_EQ(encode(Format::int64, -1), ~uint64_t{0});
  EXPECT_EQ(encode(Format::int64, -0x1p63), uint64_t{1} << 63);
  EXPECT_EQ(encode(Format::int64, 0x1p63, Overflow::saturate), ~uint64_t{0} >> 1);
  EXPECT_THROW(encode(Format::int64, 0x1p63), std::domain_error);
  EXPECT_EQ(encode(Format::int64, Exact{true, 12345678901234567, 0}), static_cast<uint64_t>(-12345678901234567));
  EXPECT_EQ(decode(Format::int64, uint64_t{1} << 53), 0x1p53);
  EXPECT_THROW(decode(Format::int64, (uint64_t{1} << 53) + 1), std::domain_error);
  EXPECT_THROW(decode(Format::int64, uint64_t{1} << 63), std::domain_error);
  EXPECT_EQ(rank(Format::int64, uint64_t{1} << 63), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(code_of_rank(Format::int64, -2), ~uint64_t{1});
  EXPECT_THROW(next_up(Format::int64, ~uint64_t{0} >> 1), std::out_of_range);
  EXPECT_THROW(code_count(Format::int64), std::domain_error);
}

TEST(Format, ue8m0_refuses_zero_and_negative_values) {
  EXPECT_THROW(encode(Format::ue8m0, 0.0), std::domain_error);
  EXPECT_THROW(encode(Format::ue8m0, -1.0), std::domain_error);
  EXPECT_THROW(encode(Format::ue8m0, Exact{}), std::domain_error);
}

TEST(Format, codes_with_bits_above_the_format_are_refused) {
  EXPECT_THROW(decode(Format::e4m3fn, 0x100), std::out_of_range);
  EXPECT_THROW(decode(Format::u4, 16), std::out_of_range);
  EXPECT_THROW(rank(Format::bf16, 0x10000), std::out_of_range);
  EXPECT_THROW(is_nan(Format::int8, ~uint64_t{0}), std::out_of_range);
}

TEST(Format, ulp_stops_at_the_subnormal_step_and_ignores_the_largest_value) {
  EXPECT_EQ(ulp(Format::e4m3fn, 0), 0x1p-9);
  EXPECT_EQ(ulp(Format::e4m3fn, 1e-300), 0x1p-9);
  EXPECT_EQ(ulp(Format::e4m3fn, 1000), 64);
  EXPECT_EQ(ulp(Format::fp32, 0x1p-1074), 0x1p-149);
  EXPECT_EQ(ulp(Format::fp32, -1.5), 0x1p-23);
  EXPECT_EQ(ulp(Format::fp16, 65504), 32);
  EXPECT_EQ(ulp(Format::int32, 12345), 1);
  EXPECT_THROW(ulp(Format::fp32, kInfinity), std::domain_error);
}

TEST(Format, messages_say_what_is_wrong_in_one_line) {
  const auto message = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "nothing thrown";
  };
  EXPECT_EQ(message([] { decode(Format::u4, 16); }), "codes of u4 are 0 to 0xf, not 0x10");
  EXPECT_EQ(message([] { encode(Format::ue8m0, 0.0); }), "ue8m0 has no code for zero");
  EXPECT_EQ(message([] { encode(Format::int8, 200); }), "int8 has no code for a value above its range");
  EXPECT_EQ(message([] { rank(Format::e4m3fn, 0x7F); }), "e4m3fn 0x7f is NaN and has no rank");
}

}  // namespace
}  // namespace assay
