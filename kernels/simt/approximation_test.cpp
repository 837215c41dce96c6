#include <thread>

#include "kernels/simt/test_device.hpp"

namespace simt {
namespace {

// What an H200 (driver 580.159, CUDA 13.0) answered for the 2^20 arguments whose bits begin with `block`: the sum of a mix of argument
// and result bits, NaN as 7FFFFFFF.
struct Measured {
  std::uint32_t block;
  std::uint64_t sum;
};

const Measured kExpf[] = {{0x000, 0xe0f0bb0b9d3b56bf}, {0x3f8, 0xe27786f0173aa06d}, {0x40a, 0xdb1da2d9dc0c3123},
                          {0x42b, 0x5eb299847e49e999}, {0x42c, 0x2004736b053a12c3}, {0xbf8, 0x03e68aeab64c2ea7},
                          {0xc10, 0x6be87a20fc1e22d5}, {0xc2a, 0xabd610891aa01c73}, {0xc2b, 0x9392e7cb043b8e8f},
                          {0x7f8, 0xb3458bdec15d8c29}};
const Measured kRsqrtf[] = {{0x000, 0x859b625536a9dbb4}, {0x008, 0x613e8f90c2b8a16f}, {0x3f8, 0x73bc2bbdcb54df8f},
                            {0x400, 0xbb1b128c6ce6ad48}, {0x7f7, 0x60682d8bb6ca5d90}, {0x7f8, 0x9ccdbc447e11440a},
                            {0x800, 0xc1e7f7470677c4d6}};
const Measured kExp2f[] = {{0x000, 0xe0f0bb0b9d3b56bf}, {0x3f8, 0xba53714ac7e61266}, {0x42f, 0x8929bf9f915da4bb},
                           {0x430, 0xa2e53a9ced4f7048}, {0xb3f, 0x1cb2174be3697ec1}, {0xb40, 0xc2547f4fe7f91937},
                           {0xbf8, 0x894c6b964be71e2b}, {0xc2f, 0x2dd989a37ebe41b9}, {0xc30, 0x6b077907b1338ce0},
                           {0xc31, 0xbd6468f0772d6fbb}};
const Measured kReciprocal[] = {{0x000, 0x93d87d02b3df9b70}, {0x008, 0xfb140010fc97176d}, {0x3f8, 0xde42d20cb723d9fb},
                                {0x7e8, 0xc96c305c7cd9a206}, {0x7f0, 0x1d0b0798a488074a}, {0xbf9, 0xa92aa23365fedb54}};
const Measured kSilu[] = {
    {0x3f8, 0x0abbe03d58410e39}, {0xc2a, 0x890e9050274c2251}, {0xc10, 0x2bcbd5472f6f6b76}, {0x421, 0x46bfc5720857ff71}};
const Measured kSqrtf[] = {{0x000, 0xc5d89aba2347cc1b}, {0x3f8, 0xf064699bad4297bc}, {0x7f8, 0xb3458bdec15d8c29}};

std::uint64_t finish(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
  return word ^ (word >> 31);
}

template <class Function, std::size_t Blocks>
void expect_the_cards_bits(Function function, const Measured (&measured)[Blocks]) {
  for (const Measured& expected : measured) {
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < 1u << 20; ++i) {
      const std::uint32_t argument = expected.block << 20 | i;
      auto result = __float_as_uint(function(__uint_as_float(argument)));
      if ((result & 0x7fffffffu) > 0x7f800000u) result = 0x7fffffffu;
      sum += finish(static_cast<std::uint64_t>(argument) << 32 | result);
    }
    EXPECT_EQ(sum, expected.sum) << std::hex << "arguments from " << (expected.block << 20);
  }
}

TEST(ApproximationTest, ExpfHasTheCardsBits) {
  expect_the_cards_bits([](float x) { return __expf(x); }, kExpf);
}
TEST(ApproximationTest, Exp2fHasTheCardsBits) {
  expect_the_cards_bits([](float x) { return exp2f(x); }, kExp2f);
}
TEST(ApproximationTest, RsqrtfHasTheCardsBits) {
  expect_the_cards_bits([](float x) { return rsqrtf(x); }, kRsqrtf);
}
TEST(ApproximationTest, FastDivisionHasTheCardsBits) {
  expect_the_cards_bits([](float x) { return __fdividef(1.0f, x); }, kReciprocal);
}
TEST(ApproximationTest, SiluHasTheCardsBits) {
  expect_the_cards_bits([](float x) { return x / (1.0f + __expf(-x)); }, kSilu);
}
TEST(ApproximationTest, SquareRootsHaveTheCardsBits) {
  expect_the_cards_bits([](float x) { return __fsqrt_rn(x); }, kSqrtf);
}

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
