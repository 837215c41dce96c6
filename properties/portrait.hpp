// A subject in depth, for the report that its author reads: where the matrix of `check` says that it fails or how near it came, this says
// which elements, by which term of their bounds, how its error grows with k, and what an allclose or another suite would have made of it.
// Plain data: shares and counts, no times.
#pragma once
#include "properties/check.hpp"
#include "properties/portrait/ladder.hpp"
#include "properties/portrait/look.hpp"
#include "properties/tolerance.hpp"

namespace assay::properties {

struct Portrait {
  std::string subject, contract, summary, formula;
  std::string arithmetic;   // declared for the first case looked at
  std::vector<Look> looks;  // failing cases first, then the one that came nearest to its bound
  Ladder ladder;
  std::string tolerances_of;          // the case line of
  std::vector<Tolerance> tolerances;  // by step; empty: steps are exact copies, or no case was small enough
};

struct PortraitPlan {
  const Subject* subject = nullptr;
  std::vector<Cell> cells;  // what a check found of it
  std::vector<Case> cases;  // among them is looked for a larger one that fails, so that a map shows a pattern
  double work = 2e7;        // multiply-adds of a case that is looked at, a sample of larger ones: a second on the emulator
};

/// Cases that cannot run here are left out. Throws BadInput as the bench does, for an image that cannot be used.
Portrait portrait(const PortraitPlan&, const BenchSettings&);

/// Of each subject, with its cells among these.
std::vector<Portrait> portraits(const std::vector<const Subject*>&, const std::vector<Cell>&, const std::vector<Case>&,
                                const BenchSettings&);

}  // namespace assay::properties
