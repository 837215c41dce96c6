#include "oracles/contracts/packed_weight.hpp"

#include <cmath>

#include "oracles/contracts/test_contract.hpp"

namespace assay {
namespace {

Tensor words(const char* name, const Packing& packing, Random& random, int64_t pad) {
  Tensor t = make_tensor(packed_tensor({.name = name, .format = Format::int32}, packing, pad));
  for (int64_t row = 0; row < t.spec.rows(); row++)
    for (int64_t column = 0; column < t.spec.width(); column++)
      t.set_code(row, column, uint64_t(random.below(1 << 16)) << 16 | uint64_t(random.below(1 << 16)));
  return t;
}

struct Held {
  WeightPacking packing;
  Tensor codes, scales, zeros;
  Held(WeightPacking p, int64_t pad, uint64_t seed) : packing(std::move(p)) {
    Random random(seed);
    codes = words("w", packing.codes, random, pad);
    scales = make_tensor(packed_tensor({.name = "scale"}, packing.scales, pad));
    for (int64_t row = 0; row < scales.spec.rows(); row++)
      for (int64_t column = 0; column < scales.spec.width(); column++) scales.set_code(row, column, encode(Format::bf16, random.bf16(-3, 3)));
    if (packing.zeros) zeros = words("zeros", *packing.zeros, random, pad);
  }
  PackedWeight weight() const { return {packing, codes, scales, packing.zeros ? &zeros : nullptr}; }
};

TEST(PackedWeight, ReadsPaddedRowsAsItReadsDenseOnes) {
  const WeightShape shape{4, 64, 64, 16};
  for (const WeightPacking& p : {article_weight(shape), gptq_weight(shape, GptqVersion::v1), awq_weight(shape), marlin_weight(shape)}) {
    const Held dense(p, 0, 1), padded(p, 3, 1);
    for (int64_t n = 0; n < 64; n++) {
      EXPECT_EQ(dense.weight().steps(n), padded.weight().steps(n)) << p.name;
      for (int64_t g = 0; g < 4; g++) EXPECT_EQ(dense.weight().scale(g, n), padded.weight().scale(g, n)) << p.name;
    }
  }
}

TEST(PackedWeight, AStepIsTheCodeLessTheZeroPointOfItsGroup) {
  const Held held(gptq_weight({4, 32, 8, 8}, GptqVersion::v1), 0, 2);
  const PackedWeight w = held.weight();
  for (int64_t k = 0; k < 32; k++)
    for (int64_t n = 0; n < 8; n++) {
      const int code = int(held.codes.code(k / 8, n) >> (4 * (k % 8)) & 15), stored = int(held.zeros.code(k / 8, 0) >> (4 * n) & 15);
      EXPECT_EQ(w.step(k, n), code - (stored + 1));
      EXPECT_EQ(w.steps(n)[size_t(k)], w.step(k, n));
    }
}

TEST(PackedWeight, GroupsFollowTheIndexWhereThereIsOne) {
  const Held held(gptq_weight({4, 32, 8, 8}, GptqVersion::v2), 0, 3);
  Tensor g_idx = make_tensor(rows_of({.name = "g_idx", .format = Format::int32}, 1, 32));
  for (int64_t k = 0; k < 32; k++) g_idx.set_code(0, k, uint64_t(k % 4));
  const PackedWeight sorted = held.weight(), shuffled{held.packing, held.codes, held.scales, &held.zeros, &g_idx};
  for (int64_t k = 0; k < 32; k++) {
    EXPECT_EQ(sorted.group_of(k), k / 8);
    EXPECT_EQ(shuffled.group_of(k), k % 4);
    EXPECT_EQ(shuffled.step(k, 5), shuffled.code(k, 5) - shuffled.zero(k % 4, 5));
    EXPECT_EQ(shuffled.steps(5)[size_t(k)], shuffled.step(k, 5));
  }
}

TEST(PackedWeight, ZeroPointsAreGivenExactlyWhereThePackingHasThem) {
  const Held held(awq_weight({4, 32, 8, 8}), 0, 4);
  EXPECT_THROW((PackedWeight{held.packing, held.codes, held.scales}).zero(0, 0), std::logic_error);
}

}  // namespace
}  // namespace assay
