#include <gtest/gtest.h>

#include <algorithm>
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
  EXPECT_EQ(exact(0x1p-1074).exponent, -1074);
  EXPECT_TRUE(exact(-0.0).negative);
  EXPECT_TRUE(exact_of(Wide(-0.0)).negative);
  EXPECT_TRUE(exact_of(Wide(1) / 3).sticky);
  EXPECT_TRUE(exact_of(1.0L + 0x1p-63L).sticky);
  EXPECT_EQ(exact_of(-3.0).significand, uint64_t{3} << 60);
  EXPECT_THROW(exact(kInfinity), std::domain_error);
}

}  // namespace
}  // namespace assay
