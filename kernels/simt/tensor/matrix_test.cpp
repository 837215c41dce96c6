#include "kernels/simt/tensor/matrix.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/simt/tensor/dot.hpp"
#include "kernels/simt/tensor/test_tile.hpp"

namespace simt::tensor {
namespace {

// 10^6 outputs of each row.
TEST(Matrix, EveryPathIsTheScalarModel) {
  for (const Parameters& row : kParameters)
    for (int draw = 0; draw < kDraws && row.architecture == Architecture::sm_90; ++draw)
      EXPECT_EQ(differing_outputs(row, Draw(draw), 200000), 0) << "row " << &row - kParameters << ", " << name(Draw(draw));
}

TEST(Matrix, WideAndNarrowTilesAreComputedWhole) {
  for (int columns : {8, 16, 24, 96, 256}) EXPECT_EQ(TestTile(kParameters[0], columns, 16, Draw::wide, 11).differences(), 0);
}

TEST(Matrix, TheResultMayReplaceTheAddend) {
  TestTile tile(kParameters[0], 8, 16, Draw::any_bits, 5);
  EXPECT_EQ(tile.differences_in_place(best_path()), 0);
}

TEST(Matrix, IntegersAreExact) {
  for (int signs = 0; signs < 4; ++signs) {
    TestTile tile(kParameters[4], 16, 32, Draw::any_bits, 3);
    Tile view = tile.view();
    multiply_integers(signs & 1, signs & 2, view);
    for (int column = 0; column < 16; ++column)
      for (int row = 0; row < kRows; ++row)
        ASSERT_EQ(view.d[column * kRows + row], integer_dot(
                                                    signs & 1, signs & 2, 32, [&](int i) { return view.a[i * kRows + row]; },
                                                    [&](int i) { return view.b[column * 32 + i]; }, view.c[column * kRows + row]));
  }
}

}  // namespace
}  // namespace simt::tensor
