// What a fuzzed subject has been tried on, and the rule that chooses its next case.
//
// The rule: of kCandidates drawn cases the thinnest is taken. A case is as thin as the sum, over its regions and their pairs, of
// weight / (1 + cases seen there). A pair weighs 1. A region weighs 1, and up to 1 more the less of its bound any of its cases has used;
// a fill weighs, besides, kCodes times the share of its cases that showed codes of an operand for the first time.
#pragma once
#include <map>
#include <optional>
#include <unordered_map>

#include "properties/generators/region.hpp"

namespace assay::properties {

inline constexpr int kCandidates = 8;
inline constexpr double kCodes = 8;

/// The codes of an operand with at most 256 of them (FP8, INT8, UE8M0; INT4 in its words) that its elements had: one bit each.
struct SeenCodes {
  std::string operand;  // with its format: "w (u4b8)"
  std::vector<bool> seen;

  int count() const;
};

/// Of the operands of a case, in the order of the contract.
std::vector<SeenCodes> codes_of(const Tensors&);

/// A region, and what happened there.
struct RegionCount {
  std::string name, bucket;  // of the parameter, or "fill"
  int cases = 0, failing = 0;
  double worst_share = 0;  // largest share of the bound; 0 where no error came from before the last rounding
  std::string worst_case;  // line of its case
};

class Coverage {
 public:
  explicit Coverage(const Contract& contract) : contract(contract) {}

  /// Counts a case as tried, from when it is chosen.
  void plan(const Case&);
  /// What came of a case that was planned. `share`: of the bound, where one was judged.
  void learn(const Case&, bool failed, std::optional<double> share, const std::vector<SeenCodes>&);

  double thinness(const Case&) const;
  /// The thinnest of kCandidates draws.
  Case choose(const std::function<Case()>& draw) const;

  /// All regions with cases that are legal and wanted (legal_buckets), and those that were tried; in the contract's order, fills last.
  std::vector<RegionCount> regions(const Wanted& = {}) const;
  /// How many pairs of regions cases were planned in.
  size_t pairs() const { return pairs_met; }
  const std::vector<SeenCodes>& codes() const { return seen_codes; }

 private:
  struct Yield {
    int cases = 0, shows_codes = 0;
  };

  const Contract& contract;
  std::unordered_map<std::string, RegionCount> region_counts;
  std::unordered_map<std::string, int> planned;  // of regions and pairs
  size_t pairs_met = 0;
  std::map<Fill, Yield> yields;
  std::vector<SeenCodes> seen_codes;

  int planned_in(const std::string& region_or_pair) const;
  double codes_weight(Fill) const;
  bool add(const std::vector<SeenCodes>&);
};

}  // namespace assay::properties
