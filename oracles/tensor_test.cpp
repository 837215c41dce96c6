#include "oracles/tensor.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace assay {
namespace {

TensorSpec heads(int64_t tokens) {
  return {.name = "q", .format = Format::bf16, .shape = {tokens, 3, 4}, .strides = {20, 6}};
}

TEST(TensorSpec, RowsAreTheLeadingDimensionsTogether) {
  EXPECT_EQ(heads(2).rows(), 6);
  EXPECT_EQ(heads(2).width(), 4);
  EXPECT_EQ(heads(2).elements(), 24);
}

TEST(TensorSpec, RowOffsetsFollowTheStrides) {
  const TensorSpec spec = heads(2);
  std::vector<int64_t> offsets;
  for (int64_t row = 0; row < spec.rows(); row++) offsets.push_back(spec.row_offset(row));
  EXPECT_EQ(offsets, (std::vector<int64_t>{0, 6, 12, 20, 26, 32}));
}

TEST(TensorSpec, ExtentReachesOnePastTheLastElement) {
  EXPECT_EQ(heads(2).extent(), 32 + 4);
  EXPECT_EQ(heads(1).extent(), 12 + 4);
}

TEST(TensorSpec, EmptyTensorsHaveNoExtent) {
  EXPECT_EQ(heads(0).extent(), 0);
  EXPECT_EQ(rows_of({.name = "x"}, 5, 0, 3).extent(), 0);
  EXPECT_TRUE(make_tensor(heads(0)).bytes.empty());
}

TEST(TensorSpec, RowsOfPutsThePaddingBetweenRowsOnly) {
  const TensorSpec spec = rows_of({.name = "x"}, 3, 5, 2);
  EXPECT_EQ(spec.shape, (std::vector<int64_t>{3, 5}));
  EXPECT_EQ(spec.strides, (std::vector<int64_t>{7}));
  EXPECT_EQ(spec.extent(), 2 * 7 + 5);
}

TEST(Tensor, CodesComeBackFromWhereTheyWereWrittenAndNowhereElse) {
  for (Format format : {Format::e4m3fn, Format::bf16, Format::fp32, Format::int64}) {
    TensorSpec spec = heads(2);
    spec.format = format;
    Tensor t = make_tensor(spec);
    uint64_t next = 1;
    for (int64_t row = 0; row < 6; row++)
      for (int64_t column = 0; column < 4; column++) t.set_code(row, column, next++);
    next = 1;
    for (int64_t row = 0; row < 6; row++)
      for (int64_t column = 0; column < 4; column++) EXPECT_EQ(t.code(row, column), next++) << info(format).name;
    const size_t size = size_t(spec.element_bytes()), gap = 4 * size;
    for (size_t i = gap; i < 6 * size; i++) EXPECT_EQ(t.bytes[i], std::byte{0});
  }
}

TEST(Tensor, ValuesAreDecodedCodes) {
  Tensor t = make_tensor(rows_of({.name = "x", .format = Format::bf16}, 2, 3, 1));
  t.set_code(1, 0, 0x3F80), t.set_code(1, 1, 0xC040), t.set_code(1, 2, 0x0001);
  EXPECT_EQ(t.value(1, 1), -3);
  EXPECT_EQ(t.row(1), (std::vector<double>{1, -3, 0x1p-133}));
  EXPECT_EQ(t.row(0), (std::vector<double>{0, 0, 0}));
}

TEST(Tensor, IsFoundByNameAndMissedLoudly) {
  Tensors all{make_tensor(rows_of({.name = "x"}, 1, 1)), make_tensor(rows_of({.name = "y"}, 2, 2))};
  EXPECT_EQ(&tensor(all, "y"), &all[1]);
  EXPECT_THROW(tensor(all, "z"), std::logic_error);
}

}  // namespace
}  // namespace assay
