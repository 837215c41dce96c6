#include <gtest/gtest.h>

#include "kernels/simt/tensor/test_tile.hpp"

namespace simt::tensor {
namespace {

// 7 * 10^6 outputs of each row and generator: more than 10^8 of each generator.
TEST(MatrixSlow, EveryPathIsTheScalarModel) {
  for (const Parameters& row : kParameters)
    for (int draw = 0; draw < kDraws && row.architecture == Architecture::sm_90; ++draw)
      EXPECT_EQ(differing_outputs(row, Draw(draw), 7000000), 0) << "row " << &row - kParameters << ", " << name(Draw(draw));
}

}  // namespace
}  // namespace simt::tensor
