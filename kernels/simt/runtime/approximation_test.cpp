#include <thread>

#include "kernels/simt/runtime/test_device.hpp"

namespace simt {
namespace {

TEST(ApproximationTest, SpecialArgumentsGiveTheCardsSpecialResults) {
  const float infinity = __uint_as_float(0x7f800000u), nan = __uint_as_float(0xffc00000u);
  EXPECT_EQ(__float_as_uint(exp2f(nan)), 0x7fffffffu);
  EXPECT_EQ(exp2f(infinity), infinity);
  EXPECT_EQ(__float_as_uint(exp2f(-infinity)), 0u);
  EXPECT_EQ(exp2f(__uint_as_float(1)), 1.0f);
  EXPECT_EQ(rsqrtf(0.0f), infinity);
  EXPECT_EQ(rsqrtf(-0.0f), -infinity);
  EXPECT_EQ(__float_as_uint(rsqrtf(-1.0f)), 0x7fffffffu);
  EXPECT_EQ(__float_as_uint(__fdividef(1.0f, infinity)), 0u);
  EXPECT_EQ(rcp_ftz(__uint_as_float(0x80000001u)), -infinity);
  EXPECT_EQ(lg2_ftz(__uint_as_float(0x80000001u)), -infinity);
  EXPECT_EQ(lg2_ftz(infinity), infinity);
  EXPECT_EQ(__float_as_uint(lg2_ftz(-infinity)), 0x7fffffffu);
  EXPECT_EQ(__float_as_uint(lg2_ftz(-1.0f)), 0x7fffffffu);
  EXPECT_EQ(__float_as_uint(lg2_ftz(1.0f)), 0u);
}

TEST(ApproximationTest, TheLogarithmRoundsTowardZero) {
  EXPECT_EQ(lg2_ftz(8.0f), 3.0f);
  EXPECT_EQ(lg2_ftz(0.125f), -0x1.7ffffep1f);
  EXPECT_EQ(lg2_ftz(0x1.fffffep-1f), -0x1.968p-27f);
  EXPECT_EQ(lg2_ftz(0x1.000002p0f), 0x1.2becp-22f);
}

TEST(ApproximationTest, ATableIsExpandedOnceForAllThreads) {
  const std::uint32_t* seen[4];
  std::vector<std::thread> threads;
  for (auto& table : seen) threads.emplace_back([&table] { table = expand(Table::rcp); });
  for (auto& thread : threads) thread.join();
  for (const auto* table : seen) EXPECT_EQ(table, tables[static_cast<unsigned>(Table::rcp)]);
  EXPECT_EQ(seen[0][0], 0x3f800000u);
}

}  // namespace
}  // namespace simt
