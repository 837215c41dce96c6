#include "kernels/simt/math/test_hashes.hpp"

namespace simt::measure {
namespace {

TEST_P(HashesTest, AllArgumentsHaveTheCardsBits) {
  const auto differing = differing_blocks(GetParam(), card(), 1);
  EXPECT_EQ(differing.size(), 0u) << std::hex << "first: arguments from " << differing.front() << "00000";
}

INSTANTIATE_TEST_SUITE_P(Functions, HashesTest, every_function(), name_of);

}  // namespace
}  // namespace simt::measure
