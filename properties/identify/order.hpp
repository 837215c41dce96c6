// In which order an unknown kernel sums, read off its results. A term of +M at k = i, one of -M at k = j and units everywhere else: M is so
// large that a unit added to it, or aligned with it, is lost. The units that are missing from the result are those that share with i and j
// the smallest sum that holds both, so that pairs (i, j) give the whole tree of additions (the idea of FPRev, Xie et al. 2025).
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace assay::properties {

/// A sum: of its leaves (elements of k that meet in one rounding) and of the results of other sums.
struct Sums {
  std::vector<int64_t> leaves;
  std::vector<Sums> parts;

  int64_t count() const;  // leaves of the whole tree
  int64_t least() const;  // the smallest k in it
};

struct Pair {
  int64_t i, j;
};

/// How many units each pair of elements loses; nothing where a result is no number of units.
using Lost = std::function<std::optional<std::vector<int64_t>>(const std::vector<Pair>&)>;

struct Order {
  std::optional<Sums> sums;
  std::string why_not;  // one line, if there is no tree that explains the results
  int64_t pairs = 0;    // tried
};

/// The order of a sum of k terms.
Order find_order(int64_t k, const Lost&);

/// Sums of sums, brought into lists. A chain is one accumulator with its blocks of k, each block one fused sum, in the order in which they
/// are taken; a list adds its members in order.
struct Listed {
  std::vector<std::vector<int64_t>> blocks;  // of a chain
  std::vector<Listed> members;               // of a list
  bool is_chain() const { return members.empty(); }
  int height() const;                     // 0: a chain
  std::vector<int64_t> elements() const;  // all k, as they are taken
};

/// Left to right, ((a + b) + c) + ..., with what was added first as its first members; nothing where the tree is of another shape.
std::optional<Listed> listed(const Sums&);

}  // namespace assay::properties
