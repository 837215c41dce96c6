#include "golden/hash.hpp"

#include <gtest/gtest.h>

#include <set>

namespace assay::golden {
namespace {

Tensor row_of(Format format, std::vector<uint64_t> codes, Role role = Role::input) {
  Tensor t =
      make_tensor({.name = "t", .role = role, .format = format, .shape = {1, int64_t(codes.size())}, .strides = {int64_t(codes.size())}});
  for (size_t i = 0; i < codes.size(); i++) t.set_code(0, int64_t(i), codes[i]);
  return t;
}

TEST(ElementHash, IsABijectionOfTheCode) {
  std::set<uint64_t> hashes;
  for (uint64_t code = 0; code < 65536; code++) hashes.insert(element_hash(5, code));
  EXPECT_EQ(hashes.size(), 65536u);
}

TEST(ElementHash, TellsPositionsApart) {
  std::set<uint64_t> hashes;
  for (uint64_t position = 0; position < 65536; position++) hashes.insert(element_hash(position, 0));
  EXPECT_EQ(hashes.size(), 65536u);
  EXPECT_NE(element_hash(0, 1) + element_hash(1, 2), element_hash(0, 2) + element_hash(1, 1));
}

TEST(CanonicalCode, MakesAllNansOfAFormatOneAndNothingElse) {
  for (const FormatInfo& f : formats()) {
    if (f.bits < 8 || f.bits > 16) continue;
    for (uint64_t code = 0; code < code_count(f.format); code++)
      ASSERT_EQ(canonical_code(row_of(f.format, {code}), 0, 0), is_nan(f.format, code) ? canonical_nan(f.format) : code) << f.name;
  }
  EXPECT_EQ(canonical_code(row_of(Format::fp32, {0xFFC00000}), 0, 0), 0x7FFFFFFFu);
  EXPECT_EQ(canonical_code(row_of(Format::fp32, {0x80000000}), 0, 0), 0x80000000u);
}

TEST(OperandHash, SeesEveryBitOfInputsAndOfNansToo) {
  const uint64_t before = hash_of_operands({row_of(Format::bf16, {0x3F80, 0x7FC0})});
  for (int bit = 0; bit < 16; bit++) {
    EXPECT_NE(hash_of_operands({row_of(Format::bf16, {0x3F80u ^ (1u << bit), 0x7FC0})}), before);
    EXPECT_NE(hash_of_operands({row_of(Format::bf16, {0x3F80, 0x7FC0u ^ (1u << bit)})}), before);
  }
}

TEST(OperandHash, TakesTensorsUpdatedInPlaceAndLeavesOutPureOutputs) {
  const Tensor in = row_of(Format::bf16, {1});
  EXPECT_NE(hash_of_operands({in, row_of(Format::bf16, {1}, Role::inout)}), hash_of_operands({in, row_of(Format::bf16, {2}, Role::inout)}));
  EXPECT_EQ(hash_of_operands({in, row_of(Format::bf16, {1}, Role::output)}),
            hash_of_operands({in, row_of(Format::bf16, {2}, Role::output)}));
}

TEST(OperandHash, TellsTensorsOfOtherOrderOrNameApart) {
  const Tensor one = row_of(Format::bf16, {1}), two = row_of(Format::bf16, {2});
  Tensor renamed = one;
  renamed.spec.name = "u";
  EXPECT_NE(hash_of_operands({one, two}), hash_of_operands({two, one}));
  EXPECT_NE(hash_of_operands({one}), hash_of_operands({renamed}));
}

TEST(ByteHash, SeesEveryBitAndTheLength) {
  const std::vector<std::byte> bytes(19, std::byte(3));
  std::set<uint64_t> hashes{hash_of_bytes(bytes), hash_of_bytes(std::vector<std::byte>(20, std::byte(3)))};
  for (size_t bit = 0; bit < 8 * bytes.size(); bit++) {
    auto other = bytes;
    other[bit / 8] ^= std::byte(1 << bit % 8);
    hashes.insert(hash_of_bytes(other));
  }
  auto longer = bytes;
  longer.push_back(std::byte(0));
  hashes.insert(hash_of_bytes(longer));
  EXPECT_EQ(hashes.size(), 3 + 8 * bytes.size());
}

}  // namespace
}  // namespace assay::golden
