#include "kernels/common/test_errors.hpp"

namespace assay {
namespace {

constexpr std::uint32_t kInfinity = 0x7f800000u;

void expect_within_the_bound(const Function& function) {
  const Worst found = worst(function, 0, kInfinity, 1009);
  EXPECT_LE(found.error, function.bound) << function.name << " at " << found.argument;
  EXPECT_EQ(found.even, 0u);
}

TEST(ElementaryTest, ASampleOfTanhIsWithinItsBound) { expect_within_the_bound(kTanh); }
TEST(ElementaryTest, ASampleOfErfIsWithinItsBound) { expect_within_the_bound(kErf); }

TEST(ElementaryTest, SpecialArguments) {
  const float infinity = __uint_as_float(kInfinity);
  for (const auto function : {kTanh.own, kErf.own}) {
    EXPECT_EQ(__float_as_uint(function(0.0f)), 0u);
    EXPECT_EQ(__float_as_uint(function(-0.0f)), 0x80000000u);
    EXPECT_EQ(function(infinity), 1.0f);
    EXPECT_EQ(function(-infinity), -1.0f);
    EXPECT_TRUE(std::isnan(function(__uint_as_float(0x7fc00000u))));
    EXPECT_TRUE(std::isnan(function(__uint_as_float(0xff800001u))));
    EXPECT_EQ(function(3e38f), 1.0f);
  }
}

TEST(ElementaryTest, TheExponentialPartsMeetThePolynomials) {
  for (const Function* function : {&kTanh, &kErf}) EXPECT_LE(worst(*function, 0x3f7ff000u, 0x3f801000u, 1).error, function->bound);
}

}  // namespace
}  // namespace assay
