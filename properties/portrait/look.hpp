// A run of a subject on one case, looked at element by element.
#pragma once
#include "fixtures/bench/bench.hpp"
#include "fixtures/judge/examine.hpp"
#include "properties/portrait/failing_map.hpp"

namespace assay::properties {

/// An element near the edge of its bound, or beyond.
struct EdgeElement {
  std::string place;         // "y[3, 17]"
  std::string found, legal;  // as a verdict shows them, with their codes
  double exact = 0;
  Bound bound;
  double share = 0;  // share_of_bound
  bool right = true;
};
inline constexpr size_t kWorst = 8;  // of a step: what a page shows before it tires

struct StepLook {
  std::string step, tensor;
  Format format = Format::bf16;
  Shares shares;  // of the bound, by errors before the last rounding
  /// Of elements with a bound above 0: |y - x| as a share of E and half the step to the neighbour together, which is all that may lie
  /// between them. `none`: equal.
  Shares whole;
  int64_t looked_at = 0, wrong = 0;
  std::vector<EdgeElement> worst;  // the largest shares first; one legal value alone is no edge
  FailingMap map;                  // filled where an element is wrong
};

struct Look {
  std::string line, why;  // the case, and why it was chosen
  std::string error;      // of the launch; then nothing else is known
  bool sampled = false;   // not all elements were looked at
  std::vector<StepLook> steps;
  std::vector<bool> accepted;  // by each of accept_rules(), of the contract's last step; empty: it is a copy

  int64_t wrong() const;
};

/// `work`: multiply-adds of a matrix product whose elements are all looked at; a sample of rows and columns of larger ones.
Look look(Bench&, const Subject&, const Case&, std::string why, double work);

}  // namespace assay::properties
