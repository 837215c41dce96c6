// A spread sample of blocks of 2^20 arguments has the card's bits; the slow test takes all of them.
#include "kernels/simt/math/test_hashes.hpp"

namespace simt::measure {
namespace {

TEST_P(HashesTest, ASampleHasTheCardsBits) {
  const std::vector<std::uint64_t> hashes = card();
  // Zero and subnormals, 1 and below it, where 2^x leaves the normal range, the largest, infinity and NaN, and some between; of both signs.
  for (std::uint32_t block :
       {0x000u, 0x008u, 0x3f7u, 0x3f8u, 0x40au, 0x42bu, 0x42cu, 0x430u, 0x7e8u, 0x7f8u, 0x800u, 0xb40u, 0xbf8u, 0xc2fu, 0xc30u})
    EXPECT_EQ(GetParam().block_hash(block), hashes[block]) << std::hex << "arguments from " << block << "00000";
}

INSTANTIATE_TEST_SUITE_P(Functions, HashesTest, every_function(), name_of);

}  // namespace
}  // namespace simt::measure
