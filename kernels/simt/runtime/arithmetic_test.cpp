#include <bit>
#include <limits>

#include "kernels/simt/runtime/random.hpp"
#include "kernels/simt/runtime/test_device.hpp"

namespace simt {
namespace {

const float kNotANumber = __uint_as_float(0x7fc00000u);
const float kInfinite = __uint_as_float(0x7f800000u);

TEST(ArithmeticTest, FloatToIntegerSaturatesAndTakesNanForZero) {
  EXPECT_EQ(__float2int_rn(kNotANumber), 0);
  EXPECT_EQ(__float2int_rn(3e9f), 2147483647);
  EXPECT_EQ(__float2int_rz(-3e9f), -2147483647 - 1);
  EXPECT_EQ(__float2uint_rn(-1.0f), 0u);
  EXPECT_EQ(__float2uint_rn(5e9f), 4294967295u);
  EXPECT_EQ(__float2int_rn(kInfinite), 2147483647);
  EXPECT_EQ(__float2ll_rz(kNotANumber), std::numeric_limits<long long>::min());
  EXPECT_EQ(__double2int_rd(-1e300), -2147483647 - 1);
}

TEST(ArithmeticTest, FloatToIntegerRoundsAsNamed) {
  EXPECT_EQ(__float2int_rn(2.5f), 2);
  EXPECT_EQ(__float2int_rn(3.5f), 4);
  EXPECT_EQ(__float2int_rz(-2.7f), -2);
  EXPECT_EQ(__float2int_ru(2.1f), 3);
  EXPECT_EQ(__float2int_rd(-2.1f), -3);
  EXPECT_EQ(__float2uint_rz(4294967040.0f), 4294967040u);
}

TEST(ArithmeticTest, ANanLosesAgainstANumber) {
  EXPECT_EQ(fmaxf(kNotANumber, -3.0f), -3.0f);
  EXPECT_EQ(min(2.0f, kNotANumber), 2.0f);
  EXPECT_EQ(__float_as_uint(fminf(kNotANumber, kNotANumber)), 0x7fffffffu);
}

TEST(ArithmeticTest, MinusZeroIsBelowZero) {
  volatile float zero = 0.0f;
  EXPECT_EQ(__float_as_uint(fminf(zero, -zero)), 0x80000000u);
  EXPECT_EQ(__float_as_uint(fmaxf(-zero, zero)), 0u);
}

TEST(ArithmeticTest, MinAndMaxMixIntegersLikeCuda) {
  EXPECT_EQ(min(3, 5u), 3u);
  EXPECT_EQ(max(-1, 5u), 0xffffffffu);
  EXPECT_EQ(max(-1ll, 5), 5ll);
}

TEST(ArithmeticTest, BitCountsAndPermutations) {
  EXPECT_EQ(__popc(0xf0f0u), 8);
  EXPECT_EQ(__clz(1), 31);
  EXPECT_EQ(__clz(0), 32);
  EXPECT_EQ(__ffs(0x80), 8);
  EXPECT_EQ(__brev(0x80000001u), 0x80000001u);
  EXPECT_EQ(__brev(0x00000016u), 0x68000000u);
  EXPECT_EQ(__byte_perm(0x33221100u, 0x77665544u, 0x7531u), 0x77553311u);
  EXPECT_EQ(__byte_perm(0x00008000u, 0, 0x8889u), 0x000000ffu);
  EXPECT_EQ(__funnelshift_l(0x80000000u, 1u, 1), 3u);
}

// The sum in extended precision, which holds a product and an addend of these ranges exactly.
TEST(ArithmeticTest, HalfFusedMultiplyAddRoundsOnce) {
  Random random{1};
  for (int i = 0; i < 200000; ++i) {
    __half_raw a{}, b{}, c{};
    a.x = static_cast<unsigned short>(0x2c00 + random.below(0x2800) + 0x8000 * random.below(2));
    b.x = static_cast<unsigned short>(0x2c00 + random.below(0x2800));
    c.x = static_cast<unsigned short>(random.below(0x7c00) + 0x8000 * random.below(2));
    const double exact = static_cast<double>(__half2float(a)) * __half2float(b) + __half2float(c);  // 2^-24 to 2^13: within 53 bits
    const __half fused = __hfma(__half(a), __half(b), __half(c));
    ASSERT_EQ(__half_raw(fused).x, __half_raw(__double2half(exact)).x) << std::hex << a.x << ' ' << b.x << ' ' << c.x;
  }
}

TEST(ArithmeticTest, BfloatFusedMultiplyAddKeepsAFarTail) {
  const auto bf = [](float x) { return __float2bfloat16(x); };
  // 1.5 * 1.0078125 * 2 = 3.0234375 lies between two bfloat16: the tail of 2^-100 decides a tie that a rounded sum would lose.
  const float a = 1.0f + 0x1p-7f, b = 1.0f + 0x1p-1f;
  EXPECT_EQ(static_cast<float>(__hfma(bf(a), bf(b), bf(0.0f))), 1.515625f);
  EXPECT_EQ(static_cast<float>(__hfma(bf(a), bf(b), bf(-0x1p-100f))), 1.5078125f);
  EXPECT_EQ(static_cast<float>(__hfma(bf(a), bf(b), bf(0x1p-100f))), 1.515625f);
}

TEST(ArithmeticTest, FusedOperationsRoundOnce) {
  const float a = 1.0f + 0x1p-12f;
  EXPECT_EQ(__fmaf_rn(a, a, -(1.0f + 0x1p-11f)), 0x1p-24f);
  EXPECT_EQ(__fadd_rn(__fmul_rn(a, a), -(1.0f + 0x1p-11f)), 0.0f);
}

// The ties on both sides of a result, squared and multiplied by the argument, enclose 1.
TEST(ArithmeticTest, ReciprocalRootsAreCorrectlyRounded) {
  for (std::uint32_t i = 0; i < 1u << 24; ++i) {
    const std::uint32_t bits = 0x3f800000u + i;  // [1, 4), results in (1/2, 1]
    const float x = __uint_as_float(bits), result = __frsqrt_rn(x);
    if (x == 1.0f) continue;
    const auto argument = static_cast<unsigned __int128>(static_cast<double>(x) * 0x1p23);      // 2^23 x
    const auto doubled = static_cast<unsigned __int128>(static_cast<double>(result) * 0x1p25);  // 2^25 result: ties are at one beside it
    const unsigned __int128 one = static_cast<unsigned __int128>(1) << 73;
    ASSERT_LT(argument * (doubled - 1) * (doubled - 1), one) << x;
    ASSERT_GT(argument * (doubled + 1) * (doubled + 1), one) << x;
  }
}

}  // namespace
}  // namespace simt
