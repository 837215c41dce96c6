#include "golden/tile.hpp"

#include <gtest/gtest.h>

#include "fixtures/case/case.hpp"

namespace assay::golden {
namespace {

constexpr Shape kTile{4, 8};

Tensor filled(int64_t rows, int64_t columns, int64_t pad = 0, Format format = Format::bf16) {
  TensorSpec spec{.name = "y", .role = Role::output, .format = format, .shape = {rows, columns}, .strides = {columns + pad}};
  Tensor t = make_tensor(spec);
  for (int64_t r = 0; r < rows; r++)
    for (int64_t c = 0; c < columns; c++) t.set_code(r, c, uint64_t(17 * r + 3 * c) % 250 % 120);
  return t;
}

void flip(Tensor& t, int64_t row, int64_t column, uint64_t bits) { t.set_code(row, column, t.code(row, column) ^ bits); }

TEST(Recorded, EqualsItself) {
  for (Shape tile : {Shape{}, kTile, Shape{1, 256}, Shape{32, 1}}) {
    const Tensor t = filled(21, 37);
    const Comparison c = compare(recorded(t, tile), t, {});
    EXPECT_EQ(c.elements, 21u * 37);
    EXPECT_EQ(c.differing, 0u);
    EXPECT_EQ(c.difference, "");
  }
}

TEST(Recorded, FindsEveryFlippedBitByNameAndBothValues) {
  const Tensor t = filled(9, 17);
  for (Shape tile : {Shape{}, kTile}) {
    const TensorRecord r = recorded(t, tile);
    for (int64_t row = 0; row < 9; row++)
      for (int64_t column = 0; column < 17; column++)
        for (int bit = 0; bit < 16; bit += 5) {
          Tensor other = t;
          flip(other, row, column, uint64_t{1} << bit);
          const Comparison c = compare(r, other, {});
          ASSERT_EQ(c.differing, 1u);
          char part[80];
          std::snprintf(part, sizeof part, "y row %d column %d is %04x, recorded %04x", int(row), int(column),
                        unsigned(other.code(row, column)), unsigned(t.code(row, column)));
          ASSERT_NE(c.difference.find(part), std::string::npos) << c.difference;
        }
  }
}

TEST(Recorded, CountsWhatDiffers) {
  Tensor t = filled(8, 16);
  const TensorRecord codes = recorded(t, {}), tiles = recorded(t, kTile);
  flip(t, 0, 0, 1), flip(t, 1, 1, 1), flip(t, 7, 15, 1);
  EXPECT_NE(compare(codes, t, {}).difference.find("; 3 of 128 elements differ"), std::string::npos);
  EXPECT_EQ(compare(tiles, t, {}).difference.find("y rows 0 to 3, columns 0 to 7 hash to "), 0u);
  EXPECT_NE(compare(tiles, t, {}).difference.find("; 2 of 4 tiles of 4 x 8 elements differ"), std::string::npos);
}

TEST(Recorded, FindsANearbyCodeOfAWideFormat) {
  Tensor t = filled(8, 16, 0, Format::fp32);
  const TensorRecord r = recorded(t, kTile);
  flip(t, 5, 9, 0x40);
  EXPECT_EQ(compare(r, t, {}).difference.find("y row 5 column 9 is "), 0u);
  flip(t, 5, 9, 0x80000000);
  EXPECT_EQ(compare(r, t, {}).difference.find("y rows 4 to 7, columns 8 to 15 hash to "), 0u);
}

TEST(Recorded, TakesNansForOneAndZerosForTwo) {
  for (Shape tile : {Shape{}, kTile}) {
    Tensor t = filled(4, 8);
    t.set_code(1, 1, 0xFFC0), t.set_code(2, 2, 0x8000);
    const TensorRecord r = recorded(t, tile);
    t.set_code(1, 1, 0x7FFF);
    EXPECT_EQ(compare(r, t, {}).differing, 0u);
    t.set_code(2, 2, 0);
    EXPECT_EQ(compare(r, t, {}).differing, 1u);
  }
}

TEST(Recorded, LeavesGapsOut) {
  for (Shape tile : {Shape{}, kTile}) {
    const Tensor dense = filled(5, 9);
    Tensor padded = filled(5, 9, 3);
    padded.bytes[size_t(9 * 2)] = std::byte(0xAA);
    EXPECT_EQ(recorded(dense, tile), recorded(padded, tile));
  }
}

TEST(Recorded, OfAnotherShapeOrFormatDiffersInEverything) {
  const TensorRecord r = recorded(filled(4, 8), {});
  EXPECT_EQ(compare(r, filled(8, 4), {}).difference, "y is 8 x 4 of bf16, recorded was y, 4 x 8 of bf16");
  EXPECT_EQ(compare(r, filled(4, 8, 0, Format::fp16), {}).differing, 32u);
}

TEST(SampledComparison, LooksAtElementsThatRanAndAtTilesThatRanWhole) {
  Tensor t = filled(8, 16);
  const TensorRecord codes = recorded(t, {}), tiles = recorded(t, kTile);
  auto upper = [](std::string_view, int64_t row, int64_t) { return row < 6; };
  flip(t, 7, 3, 1);
  EXPECT_EQ(compare(codes, t, upper).elements, 6u * 16);
  EXPECT_EQ(compare(codes, t, upper).differing, 0u);
  EXPECT_EQ(compare(tiles, t, upper).elements, 4u * 16);
  EXPECT_EQ(compare(tiles, t, upper).differing, 0u);
  flip(t, 2, 3, 1);
  EXPECT_EQ(compare(codes, t, upper).differing, 1u);
  EXPECT_EQ(compare(tiles, t, upper).differing, 1u);
}

/// The tile of the first output of a case.
Shape tile_of(const char* subject, const char* line, bool sampled) {
  const Case c = parse_case(line);
  for (const TensorSpec& spec : c.definition().tensors(c.parameters))
    if (spec.role != Role::input) return tile_shape(spec, *find<Subject>(subject), c.parameters, sampled);
  return {};
}

TEST(TileShape, IsNoneForSmallOutputs) {
  EXPECT_EQ(tile_of("silu_and_mul", "silu_and_mul rows=1 d=16384", false).rows, 0);
  EXPECT_EQ(tile_of("silu_and_mul", "silu_and_mul rows=1 d=16384", true).rows, 0);
  EXPECT_EQ(tile_of("silu_and_mul", "silu_and_mul rows=0 d=16384", false).rows, 0);
}

TEST(TileShape, HoldsUpTo256Elements) {
  const Shape wide = tile_of("silu_and_mul", "silu_and_mul rows=512 d=14336", false),
              narrow = tile_of("silu_and_mul", "silu_and_mul rows=70000 d=8", false);
  EXPECT_EQ(wide.rows, 1);
  EXPECT_EQ(wide.columns, 256);
  EXPECT_EQ(narrow.rows, 32);
  EXPECT_EQ(narrow.columns, 8);
}

TEST(TileShape, OfSampledRunsFitsTheBlocks) {
  struct Example {
    const char *subject, *line;
    int64_t rows, columns;
  };
  const Example examples[] = {{"w4a16_gemv", "w4a16_gemv m=512 n=28672 k=4096 group=128", 8, 8},
                              {"w4a16_gemv", "w4a16_gemv m=1 n=70001 k=64 group=32", 1, 32},
                              {"silu_and_mul", "silu_and_mul rows=512 d=14336", 1, 256},
                              {"silu_and_mul", "silu_and_mul rows=70000 d=8", 1, 8},
                              {"fused_add_rms_norm", "fused_add_rms_norm rows=512 d=4096", 1, 256},
                              {"rope_neox", "rope_neox tokens=4000 q_heads=6 k_heads=1 head_size=80 rot_dim=80 max_position=16", 3, 80},
                              {"rope_cache", "rope_cache max_position=131072 rot_dim=4", 8, 4},
                              {"convert", "convert n=65536 to=bf16", 1, 256}};
  for (const Example& e : examples) {
    const Shape tile = tile_of(e.subject, e.line, true);
    EXPECT_EQ(tile.rows, e.rows) << e.line;
    EXPECT_EQ(tile.columns, e.columns) << e.line;
  }
}

}  // namespace
}  // namespace assay::golden
