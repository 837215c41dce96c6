// The law *golden bits*: a subject whose arithmetic its source fixes gives, on every machine, the bits that were recorded.
#pragma once
#include "fixtures/bench/bench.hpp"
#include "golden/record.hpp"

namespace assay::golden {

/// Why bits recorded there need not be equal here, or nothing. The conditions: same architecture (tables of approximations and tensor cores
/// belong to it), same number of multiprocessors (grids that stripe over them sum in another order), same major version of the toolkit,
/// and GPU code compiled without contraction (-fmad=false). The driver is recorded but is none: images hold machine code.
std::optional<std::string> no_claim(const Origin& recorded, const Origin& here);

struct Verified {
  Verdict verdict;
  bool within_bounds = false;        // the bits differ where they may, and conform: a Skip, since no bits were confirmed
  std::vector<std::string> details;  // of a difference, line by line (golden/explain.hpp)
};

/// Runs the case and compares every element that ran, or every tile that ran whole. Equal bits pass. Others fail, with the explanation,
/// where equal ones are claimed; elsewhere (no_claim, a subject that does not claim to give the same bits twice or declares no arithmetic,
/// a run that called the toolkit's library functions) they are judged by their bounds. Untrusted where a tensor has elements and none could
/// be compared, or where the bounds prove nothing. The tally's `judged` counts compared elements. Throws BadInput where the record's case
/// is none of the contract any more.
Verified verify(Bench&, const Subject&, const Record&, const Origin&);

}  // namespace assay::golden
