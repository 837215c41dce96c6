#include <gtest/gtest.h>

#include <bit>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "oracles/formats/format.hpp"

namespace assay {
namespace {

using Wide = boost::multiprecision::cpp_bin_float_100;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<FormatInfo> formats_of(int most_bits) {
  std::vector<FormatInfo> chosen;
  for (const FormatInfo& f : formats())
    if (f.bits <= most_bits) chosen.push_back(f);
  return chosen;
}
std::string name_of(const testing::TestParamInfo<FormatInfo>& tested) { return std::string(tested.param.name); }

double value_at(const FormatInfo& f, int64_t rank) { return decode(f.format, code_of_rank(f.format, rank)); }
int64_t top(const FormatInfo& f) { return highest_rank(f.format) - f.has_infinity; }
int64_t bottom(const FormatInfo& f) { return lowest_rank(f.format) + (f.has_infinity && f.has_sign); }

// Rounding by its definition: the nearer of the two neighbours found by bisection, the even one half-way. The midpoint of two neighbours
// is exact in double, and so is every comparison. Past an end the next neighbour would be one more step away.
struct Nearest {
  const FormatInfo& f;

  int64_t below(double value) const {
    int64_t low = bottom(f) - 1, high = top(f);
    while (low < high) {
      const int64_t middle = low + (high - low + 1) / 2;
      if (value_at(f, middle) <= value)
        low = middle;
      else
        high = middle - 1;
    }
    return low;
  }

  double value(int64_t rank) const {
    if (rank > top(f)) return f.format == Format::ue8m0 ? 2 * f.max_finite : f.max_finite + ulp(f.format, f.max_finite);
    if (rank < bottom(f)) return f.floating ? -value(top(f) + 1) : value_at(f, bottom(f)) - 1;
    return value_at(f, rank);
  }

  int64_t rank(double x) const {
    const int64_t low = below(x);
    if (!f.has_zero && low < bottom(f)) return bottom(f);
    const double middle = value(low) + (value(low + 1) - value(low)) / 2;
    return x < middle || (x == middle && low % 2 == 0) ? low : low + 1;
  }

  uint64_t code(double x, Overflow overflow) const {
    const int64_t nearest = rank(x), kept = std::clamp(nearest, bottom(f), top(f));
    if (nearest != kept && overflow == Overflow::to_infinity)
      return f.has_infinity ? code_of_rank(f.format, nearest < 0 ? lowest_rank(f.format) : highest_rank(f.format))
                            : canonical_nan(f.format);
    const bool negative_zero = f.floating && kept == 0 && f.has_zero && std::signbit(x);
    return negative_zero ? uint64_t{1} << (f.bits - 1) : code_of_rank(f.format, kept);
  }
};

class Midpoints : public testing::TestWithParam<FormatInfo> {
 protected:
  const FormatInfo f = GetParam();

  void expect_rank(double value, int64_t expected) const {
    for (const Overflow overflow : {Overflow::saturate, Overflow::to_infinity}) {
      const uint64_t code = encode(f.format, value, overflow);
      ASSERT_EQ(rank(f.format, code), expected) << value;
      ASSERT_EQ(encode(f.format, exact(value), overflow), code) << value;
      if (f.floating && f.has_sign) {
        ASSERT_EQ(code >> (f.bits - 1), std::signbit(value)) << value;
      }
    }
  }
};
class CoarseMidpoints : public Midpoints {};
INSTANTIATE_TEST_SUITE_P(formats, CoarseMidpoints, testing::ValuesIn(formats_of(8)), name_of);
INSTANTIATE_TEST_SUITE_P(formats, Midpoints, testing::ValuesIn(formats_of(16)), name_of);

TEST_P(Midpoints, go_to_the_even_neighbour_and_their_neighbouring_doubles_to_the_near_one) {
  for (int64_t low = bottom(f); low < top(f); ++low) {
    const double middle = value_at(f, low) + (value_at(f, low + 1) - value_at(f, low)) / 2;
    expect_rank(middle, low % 2 == 0 ? low : low + 1);
    expect_rank(std::nextafter(middle, -kInfinity), low);
    expect_rank(std::nextafter(middle, kInfinity), low + 1);
  }
}

TEST_P(CoarseMidpoints, have_neighbouring_floats_that_go_to_the_near_one) {
  for (int64_t low = bottom(f); low < top(f); ++low) {
    const float middle = static_cast<float>((value_at(f, low) + value_at(f, low + 1)) / 2);
    ASSERT_EQ(middle, (value_at(f, low) + value_at(f, low + 1)) / 2);
    expect_rank(std::nextafter(middle, -std::numeric_limits<float>::infinity()), low);
    expect_rank(std::nextafter(middle, std::numeric_limits<float>::infinity()), low + 1);
  }
}

TEST_P(Midpoints, are_told_from_values_that_differ_beyond_a_double) {
  const Wide less = 1 - ldexp(Wide(1), -200), more = 1 + ldexp(Wide(1), -200);
  for (int64_t low = bottom(f); low < top(f); ++low) {
    const Wide middle = (Wide(value_at(f, low)) + value_at(f, low + 1)) / 2;
    if (middle == 0) continue;
    ASSERT_EQ(rank(f.format, encode(f.format, exact_of(middle))), low % 2 == 0 ? low : low + 1);
    ASSERT_EQ(rank(f.format, encode(f.format, exact_of(Wide(middle * (middle > 0 ? less : more))))), low);
    ASSERT_EQ(rank(f.format, encode(f.format, exact_of(Wide(middle * (middle > 0 ? more : less))))), low + 1);
  }
}

// Doubles about the format's range, a good part of them with few bits so that ties are met.
class Doubles {
 public:
  explicit Doubles(const FormatInfo& f, uint64_t seed)
      : random_(seed), least_(std::ilogb(f.min_subnormal) - 4), most_(std::ilogb(f.max_finite) + 2) {}

  double next() {
    const uint64_t bits = random_(), shape = random_();
    const int exponent = least_ + static_cast<int>(shape % static_cast<uint64_t>(most_ - least_ + 1)),
              cleared = shape >> 32 & 1 ? 0 : static_cast<int>(shape >> 40) % 53;
    const double magnitude = std::ldexp(1 + std::ldexp(bits >> 12 >> cleared << cleared, -52), exponent);
    return bits & 1 ? -magnitude : magnitude;
  }

 private:
  std::mt19937_64 random_;
  int least_, most_;
};

class RandomDoubles : public testing::TestWithParam<FormatInfo> {};
INSTANTIATE_TEST_SUITE_P(formats, RandomDoubles, testing::ValuesIn(formats_of(32)), name_of);

TEST_P(RandomDoubles, round_as_the_definition_says) {
  const FormatInfo f = GetParam();
  const Nearest nearest{f};
  Doubles doubles(f, 1);
  int ties = 0, overflows = 0;
  for (int i = 0; i < 200'000; ++i) {
    const double drawn = doubles.next(), x = f.has_zero ? drawn : std::fabs(drawn);
    const int64_t low = nearest.below(x), place = nearest.rank(x);
    ties += x - nearest.value(low) == nearest.value(low + 1) - x;
    overflows += place > top(f) || place < bottom(f);
    ASSERT_EQ(encode(f.format, x, Overflow::saturate), nearest.code(x, Overflow::saturate)) << x;
    ASSERT_EQ(encode(f.format, exact_of(Wide(x)), Overflow::saturate), nearest.code(x, Overflow::saturate)) << x;
    if (f.floating) {
      ASSERT_EQ(encode(f.format, x), nearest.code(x, Overflow::to_infinity)) << x;
    }
  }
  EXPECT_GT(ties, 200);
  EXPECT_GT(overflows, 200);
}

TEST(Rounding, fp32_agrees_with_the_processor) {
  Doubles doubles(info(Format::fp32), 2);
  for (int i = 0; i < 5'000'000; ++i) {
    const double x = doubles.next();
    const float rounded = static_cast<float>(x);
    ASSERT_EQ(encode(Format::fp32, x), std::bit_cast<uint32_t>(rounded)) << x;
    ASSERT_EQ(decode(Format::fp32, std::bit_cast<uint32_t>(rounded)), rounded);
  }
}

TEST(Rounding, int32_and_int64_agree_with_the_processor) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 1'000'000; ++i) {
    const double x = std::ldexp(static_cast<double>(static_cast<int64_t>(random())), -static_cast<int>(random() % 70));
    ASSERT_EQ(encode(Format::int64, x, Overflow::saturate), static_cast<uint64_t>(std::llrint(std::min(x, 0x1.fffffffffffffp62)))) << x;
    const double clamped = std::clamp(std::nearbyint(x), -2147483648.0, 2147483647.0);
    ASSERT_EQ(encode(Format::int32, x, Overflow::saturate), static_cast<uint32_t>(static_cast<int32_t>(clamped))) << x;
  }
}

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
}

TEST(Rounding, refuses_a_sticky_value_that_is_not_determined) {
  EXPECT_THROW(encode(Format::bf16, Exact{false, 1, 0, true}), std::invalid_argument);
  EXPECT_THROW(encode(Format::int64, Exact{false, 1, 0, true}), std::invalid_argument);
  EXPECT_THROW(encode(Format::bf16, Exact{false, 0, 0, true}), std::invalid_argument);
  EXPECT_EQ(encode(Format::e4m3fn, Exact{false, 1, -200, true}), 0);
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

TEST(Exact, holds_every_bit_of_a_double) {
  Doubles doubles(info(Format::fp32), 4);
  for (int i = 0; i < 100'000; ++i) {
    const double x = doubles.next();
    const Exact e = exact(x), wide = exact_of(Wide(x));
    ASSERT_EQ((e.negative ? -1 : 1) * std::ldexp(static_cast<double>(e.significand), e.exponent), x);
    ASSERT_EQ((wide.negative ? -1 : 1) * std::ldexp(static_cast<double>(wide.significand), wide.exponent), x);
    ASSERT_FALSE(e.sticky || wide.sticky);
  }
  EXPECT_EQ(exact(0x1p-1074).significand, 1u);
  EXPECT_TRUE(exact(-0.0).negative);
  EXPECT_TRUE(exact_of(Wide(-0.0)).negative);
  EXPECT_TRUE(exact_of(Wide(1) / 3).sticky);
  EXPECT_TRUE(exact_of(1.0L + 0x1p-63L).sticky);
  EXPECT_EQ(exact_of(-3.0).significand, uint64_t{3} << 60);
  EXPECT_THROW(exact(kInfinity), std::domain_error);
}

}  // namespace
}  // namespace assay
