#include "oracles/packings/fp8_scales.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "oracles/formats/format.hpp"
#include "oracles/packings/test_packing.hpp"

namespace assay {
namespace {

struct Matrix {
  int64_t rows, columns;
};
const std::vector<Matrix> kMatrices = {{1, 128}, {7, 256}, {8, 384}, {130, 128}, {300, 640}, {5, 200}, {4, 1}};

std::vector<ScaleLayout> all_layouts() {
  std::vector<ScaleLayout> all;
  for (int i = 0; i < kScaleLayouts; ++i) all.push_back(static_cast<ScaleLayout>(i));
  return all;
}

// Written out by hand, once for each layout.
int64_t by_hand(ScaleLayout layout, const Matrix& m, int64_t row, int64_t column) {
  const int64_t groups = (m.columns + 127) / 128, padded_rows = (m.rows + 3) & ~int64_t{3};
  switch (layout) {
    case ScaleLayout::tensor: return 0;
    case ScaleLayout::row: return row;
    case ScaleLayout::group: return row * groups + column / 128;
    case ScaleLayout::group_column_major: return column / 128 * m.rows + row;
    case ScaleLayout::group_padded: return column / 128 * padded_rows + row;
    case ScaleLayout::block: return row / 128 * groups + column / 128;
  }
  return -1;
}

TEST(Fp8Scales, IndexIsTheFormulaOfTheLayout) {
  for (const ScaleLayout layout : all_layouts())
    for (const Matrix& m : kMatrices) {
      const Fp8Scales s = fp8_scales(layout, m.rows, m.columns);
      for (int64_t row = 0; row < m.rows; ++row)
        for (int64_t column = 0; column < m.columns; ++column)
          ASSERT_EQ(s.index(row, column), by_hand(layout, m, row, column)) << name(layout);
    }
}

TEST(Fp8Scales, EveryScaleIsSomeElementsAndLiesInsideTheExtent) {
  for (const ScaleLayout layout : all_layouts())
    for (const Matrix& m : kMatrices) {
      const Fp8Scales s = fp8_scales(layout, m.rows, m.columns);
      std::set<int64_t> by_element, by_scale;
      for (int64_t row = 0; row < m.rows; ++row)
        for (int64_t column = 0; column < m.columns; ++column) by_element.insert(s.index(row, column));
      for (int64_t row = 0; row < s.scale_rows(); ++row)
        for (int64_t column = 0; column < s.scale_columns(); ++column) by_scale.insert(s.scale_index(row, column));
      EXPECT_EQ(by_element, by_scale) << name(layout);
      EXPECT_EQ(static_cast<int64_t>(by_scale.size()), s.scale_count()) << name(layout);
      EXPECT_EQ(*by_scale.rbegin() + 1, s.extent()) << name(layout);
    }
}

TEST(Fp8Scales, RunsDescribeTheSameMemory) {
  for (const ScaleLayout layout : all_layouts())
    for (const Matrix& m : kMatrices) {
      const Fp8Scales s = fp8_scales(layout, m.rows, m.columns);
      for (int64_t row = 0; row < s.scale_rows(); ++row)
        for (int64_t column = 0; column < s.scale_columns(); ++column) {
          const int64_t run = s.column_major ? column : row, within = s.column_major ? row : column;
          ASSERT_TRUE(run < s.runs() && within < s.run_length());
          ASSERT_EQ(s.scale_index(row, column), run * s.run_stride() + within) << name(layout);
        }
    }
}

TEST(Fp8Scales, PaddedRunsAreMultiplesOfFour) {
  const Fp8Scales s = fp8_scales(ScaleLayout::group_padded, 5, 384);
  EXPECT_EQ(s.run_stride(), 8);
  EXPECT_EQ(s.run_length(), 5);
  EXPECT_EQ(s.runs(), 3);
  EXPECT_EQ(s.extent(), 2 * 8 + 5);
  EXPECT_EQ(fp8_scales(ScaleLayout::group_padded, 8, 384).run_stride(), 8);
}

TEST(Fp8Scales, EmptyMatricesHaveNoScalesBeyondTheTensors) {
  for (const ScaleLayout layout : all_layouts()) EXPECT_EQ(fp8_scales(layout, 0, 128).extent(), 0) << name(layout);
}

TEST(Fp8Scales, RefusesBadShapesAndPlacesInOneLine) {
  EXPECT_EQ(message([] { fp8_scales(ScaleLayout::block, -1, 8); }), "block scales of [-1, 8]: no extent may be negative");
  EXPECT_EQ(message([] { fp8_scales(ScaleLayout::group, 1, 8, 0); }),
            "group scales of [1, 8] in groups of 0: a group has at least one element");
  EXPECT_EQ(message([] { fp8_scales(ScaleLayout::row, 2, 8).index(2, 0); }), "[2, 0] is outside the matrix [2, 8]");
  EXPECT_THROW(fp8_scales(ScaleLayout::row, 2, 8).index(0, 8), std::out_of_range);
  EXPECT_THROW(fp8_scales(ScaleLayout::row, 2, 8).scale_index(0, 1), std::out_of_range);
  EXPECT_THROW(fp8_scales(ScaleLayout::block, -1, 8), std::invalid_argument);
}

// ---- UE8M0

TEST(Ue8m0, RoundsUpToThePowerOfTwoThatIsNotBelow) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; ++i) {
    const auto bits = static_cast<uint32_t>(random()) & 0x7FFFFFFF;
    const float scale = std::bit_cast<float>(bits);
    if (!std::isfinite(scale) || scale < 0x1p-126f || scale > 0x1p127f) continue;
    const float up = ue8m0_to_fp32(ue8m0_above(scale));
    ASSERT_GE(up, scale);
    ASSERT_LT(up / 2, scale);
    ASSERT_EQ(up, decode(Format::ue8m0, ue8m0_above(scale)));
  }
}

TEST(Ue8m0, PowersOfTwoStayAndTheNextFloatMovesUp) {
  for (int e = -126; e <= 126; ++e) {
    const float power = std::ldexp(1.0f, e);
    EXPECT_EQ(ue8m0_above(power), e + 127);
    EXPECT_EQ(ue8m0_above(-power), e + 127);
    EXPECT_EQ(ue8m0_above(std::nextafter(power, 1e38f)), e + 128);
  }
}

TEST(Ue8m0, TheEndsAreClamped) {
  EXPECT_EQ(ue8m0_above(0), 1);
  EXPECT_EQ(ue8m0_above(std::numeric_limits<float>::denorm_min()), 1);
  EXPECT_EQ(ue8m0_above(std::nextafter(0x1p-126f, 0.0f)), 1);
  EXPECT_EQ(ue8m0_above(0x1p127f), 254);
  EXPECT_EQ(ue8m0_above(std::numeric_limits<float>::max()), 254);
  EXPECT_EQ(ue8m0_above(std::numeric_limits<float>::infinity()), 254);
  EXPECT_EQ(ue8m0_above(std::numeric_limits<float>::quiet_NaN()), 254);
}

TEST(Ue8m0, ReadsAsTheFormatSaysWithinItsRange) {
  for (int byte = 1; byte < 255; ++byte)
    EXPECT_EQ(ue8m0_to_fp32(static_cast<uint8_t>(byte)), decode(Format::ue8m0, static_cast<uint64_t>(byte)));
  EXPECT_EQ(ue8m0_to_fp32(0), 0.0f);
  EXPECT_EQ(ue8m0_to_fp32(255), std::numeric_limits<float>::infinity());
}

TEST(PackedUe8m0, FourGroupsToAWordTheLowestFirst) {
  // 2 rows of 5 groups: words of a column are next to each other, columns 4 apart.
  const PackedUe8m0 shape{2, 5};
  EXPECT_EQ(shape.word_columns(), 2);
  EXPECT_EQ(shape.extent(), 4 + 2);
  std::vector<float> scales;
  for (int i = 0; i < 10; ++i) scales.push_back(std::ldexp(1.0f, i - 127 + 16));
  EXPECT_EQ(packed_ue8m0(shape, scales), (std::vector<int32_t>{0x13121110, 0x18171615, 0, 0, 0x14, 0x19}));
}

TEST(PackedUe8m0, RoundTrips) {
  for (const auto& [rows, groups] : {std::pair<int64_t, int64_t>{1, 1}, {3, 4}, {4, 5}, {9, 32}, {0, 4}, {4, 0}}) {
    const PackedUe8m0 shape{rows, groups};
    std::mt19937_64 random(2);
    std::vector<float> scales;
    std::vector<uint8_t> bytes;
    for (int64_t i = 0; i < rows * groups; ++i) {
      scales.push_back(std::ldexp(1.0f + static_cast<float>(random() % 3), static_cast<int>(random() % 60) - 30));
      bytes.push_back(ue8m0_above(scales.back()));
    }
    EXPECT_EQ(unpacked_ue8m0(shape, packed_ue8m0(shape, scales)), bytes);
  }
}

TEST(PackedUe8m0, RefusesLengthsInOneLine) {
  EXPECT_EQ(message([] { packed_ue8m0({2, 5}, std::vector<float>(9)); }), "9 scales given where the shape has 10");
  EXPECT_EQ(message([] { unpacked_ue8m0({2, 5}, std::vector<int32_t>(8)); }), "8 words given where the shape has 6");
  EXPECT_EQ(message([] { packed_ue8m0({-2, 5}, {}); }), "UE8M0 scales [-2, 5]: no extent may be negative");
  EXPECT_THROW((PackedUe8m0{2, 5}).index(2, 0), std::out_of_range);
}

}  // namespace
}  // namespace assay
