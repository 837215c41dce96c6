// Orders of summation from masks: trees that are known come back, and results that no tree gives are said to be such.
#include "properties/identify/order.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "properties/identify/loops.hpp"

namespace assay::properties {
namespace {

Sums leaf_sum(std::vector<int64_t> leaves, std::vector<Sums> parts = {}) { return {std::move(leaves), std::move(parts)}; }

std::vector<int64_t> all_leaves(const Sums& s) {
  std::vector<int64_t> all = s.leaves;
  for (const Sums& p : s.parts)
    for (int64_t k : all_leaves(p)) all.push_back(k);
  return all;
}

/// What a kernel with this tree would lose: all of the smallest sum that holds both, but themselves.
int64_t lost_by(const Sums& s, const Pair& pair) {
  for (const Sums& p : s.parts) {
    const std::vector<int64_t> in = all_leaves(p);
    if (std::ranges::count(in, pair.i) && std::ranges::count(in, pair.j)) return lost_by(p, pair);
  }
  return s.count() - 2;
}

Lost of(const Sums& s) {
  return [s](const std::vector<Pair>& pairs) {
    std::vector<int64_t> counts;
    for (const Pair& pair : pairs) counts.push_back(lost_by(s, pair));
    return std::optional(counts);
  };
}

/// `terms` a sum, in ascending order over these k.
Sums chain(std::vector<int64_t> k, size_t terms) {
  Sums s;
  for (size_t at = 0; at < k.size(); at += terms) {
    const std::vector<int64_t> block(k.begin() + int64_t(at), k.begin() + int64_t(std::min(at + terms, k.size())));
    s = at == 0 ? leaf_sum(block) : leaf_sum(block, {s});
  }
  return s;
}

std::vector<int64_t> range(int64_t first, int64_t end) {
  std::vector<int64_t> all;
  for (int64_t k = first; k < end; k++) all.push_back(k);
  return all;
}

Skeleton only_form(const Sums& s, Format operands, bool split = false) {
  const Order order = find_order(s.count(), of(s));
  EXPECT_TRUE(order.sums) << order.why_not;
  const auto lists = listed(*order.sums);
  EXPECT_TRUE(lists);
  const auto forms = skeletons(*lists, s.count(), operands, split);
  EXPECT_FALSE(forms.empty());
  return forms.empty() ? Skeleton{} : forms.front();
}

TEST(Orders, OneChainOfSixteens) {
  const Skeleton s = only_form(chain(range(0, 100), 16), Format::bf16);
  EXPECT_EQ(s.dot.instruction.terms, 16);
  EXPECT_EQ(s.dot.chains, (std::vector<Chain>{{.first = 0, .end = 100}}));
  EXPECT_EQ(s.dot.promotion.every, 0);
}

TEST(Orders, PromotionAndPartsAreTheSameTree) {
  const Sums parts = leaf_sum({}, {leaf_sum({}, {chain(range(0, 64), 32), chain(range(64, 128), 32)}), chain(range(128, 160), 32)});
  const Skeleton promoted = only_form(parts, Format::e4m3fn), split = only_form(parts, Format::e4m3fn, true);
  EXPECT_EQ(promoted.dot.promotion.every, 64);
  EXPECT_EQ(promoted.dot.chains.size(), 1u);
  EXPECT_EQ(split.dot.promotion.every, 0);
  EXPECT_EQ(split.dot.chains, (std::vector<Chain>{{.first = 0, .end = 64}, {.first = 64, .end = 128}, {.first = 128, .end = 160}}));
}

TEST(Orders, PartsOfEverySecondTile) {
  std::vector<int64_t> even, odd;
  for (int64_t k = 0; k < 192; k++) (k / 32 % 2 ? odd : even).push_back(k);
  const Skeleton s = only_form(leaf_sum({}, {chain(even, 16), chain(odd, 16)}), Format::fp16, true);
  EXPECT_EQ(s.dot.chains, (std::vector<Chain>{{.first = 0, .end = 160, .width = 32, .stride = 64},
                                              {.first = 32, .end = 192, .width = 32, .stride = 64}}));
}

TEST(Orders, AnInstructionThatTakesItsElementsInAnOrderOfItsOwn) {
  const Instruction known = sm_90::mma_e4m3();
  std::vector<Sums> pieces;
  for (int64_t first = 0; first < 96; first += 32) {
    std::vector<int64_t> k;
    for (int offset : known.order) k.push_back(first + offset);
    pieces.push_back(chain(k, 16));
  }
  const Skeleton s = only_form(leaf_sum({}, {leaf_sum({}, {pieces[0], pieces[1]}), pieces[2]}), Format::e4m3fn);
  EXPECT_EQ(s.dot.instruction.order, known.order);
  EXPECT_EQ(s.dot.instruction.depth, 32);
  EXPECT_EQ(s.dot.promotion.every, 32);
}

TEST(Orders, EvenAndOddMultiplyAdds) {
  auto word = [](int64_t first) {
    return leaf_sum({}, {chain({first, first + 2, first + 4, first + 6}, 1), chain({first + 1, first + 3, first + 5, first + 7}, 1)});
  };
  const Skeleton s = only_form(leaf_sum({}, {leaf_sum({}, {word(0), word(8)}), word(16)}), Format::fp16);
  EXPECT_EQ(s.dot.instruction.accumulators, 2);
  EXPECT_EQ(s.dot.instruction.depth, 8);
  EXPECT_EQ(s.dot.promotion.every, 8);
  EXPECT_TRUE(s.fused_multiply_adds);
}

TEST(Orders, ATreeIsNoListOfChains) {
  auto four = [](int64_t first) {
    return leaf_sum(
        {}, {leaf_sum({}, {chain({first}, 1), chain({first + 2}, 1)}), leaf_sum({}, {chain({first + 1}, 1), chain({first + 3}, 1)})});
  };
  const Order order = find_order(4, of(four(0)));
  ASSERT_TRUE(order.sums);
  EXPECT_EQ(order.sums->parts.size(), 2u);
  const auto lists = listed(*order.sums);
  EXPECT_TRUE(!lists || skeletons(*lists, 4, Format::bf16, false).empty() || lists->height() > 0);
}

TEST(Orders, ResultsThatNoTreeGives) {
  const Order random = find_order(16, [](const std::vector<Pair>& pairs) {
    std::vector<int64_t> counts;
    for (const Pair& p : pairs) counts.push_back((p.i * 7 + p.j * 5) % 15);
    return std::optional(counts);
  });
  EXPECT_FALSE(random.sums);
  EXPECT_NE(random.why_not, "");
  const Order fractions = find_order(16, [](const std::vector<Pair>&) { return std::optional<std::vector<int64_t>>(); });
  EXPECT_FALSE(fractions.sums);
  EXPECT_EQ(fractions.why_not, "a result is no whole number of units between none and all");
}

}  // namespace
}  // namespace assay::properties
