#include "kernels/ptx/logic.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>

namespace assay {
namespace {

template <int... kTables>
void expect_tables(std::integer_sequence<int, kTables...>) {
  // All eight combinations of three bits: the words whose function is its own table.
  EXPECT_TRUE(((lop3<kTables>(0xf0, 0xcc, 0xaa) % 256 == static_cast<unsigned>(kTables)) && ...));
}

TEST(Lop3Test, EveryTableIsItsFunctionOfThePatternsThatDefineIt) { expect_tables(std::make_integer_sequence<int, 256>()); }

TEST(Lop3Test, NamedFunctionsOnRandomWords) {
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    const uint32_t a = random(), b = random(), c = random();
    EXPECT_EQ(lop3<kAndOr>(a, b, c), (a & b) | c);
    EXPECT_EQ((lop3<0xf0 ^ 0xcc ^ 0xaa>(a, b, c)), a ^ b ^ c);
    EXPECT_EQ((lop3<(0xf0 & 0xcc) | (~0xf0 & 0xaa & 0xff)>(a, b, c)), (a & b) | (~a & c));
  }
}

}  // namespace
}  // namespace assay
