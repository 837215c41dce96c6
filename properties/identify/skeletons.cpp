#include <fmt/format.h>

#include <algorithm>

#include "properties/identify/loops.hpp"

namespace assay::properties {
namespace {

std::vector<const Listed*> chains_of(const Listed& l) {
  if (l.is_chain()) return {&l};
  std::vector<const Listed*> all;
  for (const Listed& m : l.members)
    for (const Listed* chain : chains_of(m)) all.push_back(chain);
  return all;
}

/// Products in one fused sum. The first of a row of multiply-adds starts from zero, and so takes two.
int terms_of(const Listed& l) {
  size_t terms = 1;
  for (const Listed* chain : chains_of(l))
    for (size_t i = 0; i < chain->blocks.size(); i++) {
      const bool first_of_single = i == 0 && chain->blocks[i].size() == 2 && chain->blocks.size() > 1 && chain->blocks[1].size() == 1;
      if (!first_of_single) terms = std::max(terms, chain->blocks[i].size());
    }
  return int(terms);
}

/// Elements in the order in which sums take them; those of one fused sum ascend.
std::vector<int64_t> taken(const Listed& chain) {
  std::vector<int64_t> all;
  for (std::vector<int64_t> block : chain.blocks) {
    std::ranges::sort(block);
    all.insert(all.end(), block.begin(), block.end());
  }
  return all;
}

/// The order within pieces of `depth` neighbours, if every whole piece has the same; a last piece holds what exists of it.
std::optional<std::vector<int>> order_within(const std::vector<int64_t>& elements, int depth, int64_t k) {
  std::vector<int> order;
  if (elements.size() < size_t(depth)) return {};
  const int64_t start = *std::min_element(elements.begin(), elements.begin() + depth);
  for (int i = 0; i < depth; i++) order.push_back(int(elements[size_t(i)] - start));
  if (*std::ranges::max_element(order) >= depth) return {};
  for (size_t at = 0; at < elements.size();) {
    const size_t left = std::min(elements.size() - at, size_t(depth));
    const int64_t base = *std::min_element(elements.begin() + int64_t(at), elements.begin() + int64_t(at + left));
    for (int offset : order) {
      if (base + offset >= k) continue;
      if (at == elements.size() || elements[at] != base + offset) return {};
      at++;
    }
  }
  return order;
}

bool ascends(const std::vector<int>& order) { return std::ranges::is_sorted(order); }

/// [first, end), or runs of equal width an equal distance apart.
std::optional<Chain> chain_over(std::vector<int64_t> elements) {
  std::ranges::sort(elements);
  const int64_t first = elements.front(), end = elements.back() + 1;
  if (end - first == int64_t(elements.size())) return Chain{.first = first, .end = end};
  size_t width = 1;
  while (elements[width] == elements[width - 1] + 1) width++;
  const int64_t stride = elements[width] - first;
  for (size_t i = 0; i < elements.size(); i++)
    if (elements[i] != first + int64_t(i / width) * stride + int64_t(i % width)) return {};
  return Chain{.first = first, .end = end, .width = int64_t(width), .stride = stride};
}

/// Lists of chains that follow each other with equal lengths become chains that are promoted at that distance.
std::optional<int64_t> collapse(Listed& l) {
  if (l.is_chain()) return {};
  std::optional<int64_t> every;
  if (l.height() > 1) {
    for (Listed& m : l.members) {
      if (m.is_chain()) continue;  // a last part that is shorter than one promotion
      const auto inner = collapse(m);
      if (!inner || (every && *every != *inner)) return {};
      every = inner;
    }
    return every;
  }
  Listed joined;
  int64_t end = 0;
  const auto length = int64_t(l.members.front().elements().size());
  for (size_t i = 0; i < l.members.size(); i++) {
    const std::vector<int64_t> elements = l.members[i].elements();
    const auto [least, most] = std::ranges::minmax_element(elements);
    const bool last = i + 1 == l.members.size();
    if (last ? int64_t(elements.size()) > length : int64_t(elements.size()) != length) return {};
    if (*most - *least + 1 != int64_t(elements.size())) return {};
    if (i > 0 && *least != end) return {};
    end = *most + 1;
    const auto& blocks = l.members[i].blocks;
    joined.blocks.insert(joined.blocks.end(), blocks.begin(), blocks.end());
  }
  l = joined;
  return length;
}

/// Pairs of FMA chains over neighbouring elements become one chain with two accumulators; how many elements a pair has.
std::optional<int64_t> pair_up(Listed& l) {
  if (l.is_chain()) return {};
  if (l.height() > 1) {
    std::optional<int64_t> depth;
    for (Listed& m : l.members) {
      const auto inner = pair_up(m);
      if (!inner || (depth && *depth != *inner)) return {};
      depth = inner;
    }
    return depth;
  }
  if (l.members.size() != 2) return {};
  const std::vector<int64_t> elements = l.elements();
  const auto [least, most] = std::ranges::minmax_element(elements);
  if (*most - *least + 1 != int64_t(elements.size())) return {};
  if (l.members[1].elements().front() != l.members[0].elements().front() + 1) return {};  // even and odd
  const auto depth = int64_t(elements.size());
  l = Listed{.blocks = {elements}, .members = {}};
  return depth;
}

/// `collapses` levels as promotions, the rest as chains.
std::optional<Skeleton> skeleton(Listed l, int64_t k, Format operands, int collapses) {
  Skeleton s;
  Instruction& in = s.dot.instruction;
  in = {.name = "fused sum", .terms = terms_of(l), .operands = operands};
  s.fused_multiply_adds = in.terms == 1;
  if (s.fused_multiply_adds) in.name = "multiply-add", in.aligned_bits = 0, in.rounding = Rounding::fp32_to_nearest;
  int64_t paired = 0;
  if (s.fused_multiply_adds)
    if (Listed copy = l; const auto depth = pair_up(copy)) l = copy, paired = *depth;
  std::vector<int64_t> promotions;
  for (int i = 0; i < collapses; i++) {
    const auto every = collapse(l);
    if (!every) return {};
    promotions.push_back(*every);
  }
  if (paired && promotions.empty() && l.is_chain()) promotions.push_back(paired);  // a single pair
  if (paired && (promotions.size() != 1 || promotions[0] != paired)) return {};
  if (promotions.size() == 1) s.dot.promotion = {.every = promotions[0]};
  if (promotions.size() == 2) s.dot.promotion = {.every = promotions[1], .inner = promotions[0]};

  const bool pairs_first = l.height() == 2 && std::ranges::all_of(l.members, [](const Listed& m) { return m.members.size() == 2; });
  if (l.height() > 1 && !pairs_first) return {};
  if (pairs_first) s.dot.combination.together = 2;
  std::optional<std::vector<int>> order;
  const std::vector<const Listed*> chains = chains_of(l);
  in.accumulators = paired ? 2 : 1;
  for (int depth = paired ? int(paired) : in.terms; !order && depth <= 4 * in.terms + 16; depth += in.terms) {
    const auto longest = *std::ranges::max_element(chains, {}, [](const Listed* c) { return c->elements().size(); });
    order = order_within(paired ? longest->elements() : taken(*longest), depth, k);
    in.depth = depth;
  }
  if (!order) return {};
  if (!ascends(*order)) in.order = *order;
  for (const Listed* chain : chains) {
    const auto over = chain_over(chain->elements());
    if (!over) return {};
    const auto same = order_within(paired ? chain->elements() : taken(*chain), in.depth, k);
    if (chain->elements().size() >= size_t(in.depth) && same != order) return {};
    s.dot.chains.push_back(*over);
  }
  return s;
}

}  // namespace

std::vector<Skeleton> skeletons(const Listed& l, int64_t k, Format operands, bool split) {
  std::vector<Skeleton> all;
  for (int collapses = 3; collapses >= 0; collapses--)
    if (auto s = skeleton(l, k, operands, collapses)) all.push_back(*s);
  if (split) std::ranges::reverse(all);
  return all;
}

}  // namespace assay::properties
