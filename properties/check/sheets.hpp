// What single cases of a check gave, before it is added up to cells: all that a shard knows, and what a merge works on. Adding up goes by
// the cases' numbers and by nothing else, so it does not matter who ran them.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "properties/cell.hpp"
#include "properties/crew/verdicts.hpp"

namespace assay::properties {

/// A failure that ended a cell, shrunk.
struct Shrunk {
  std::string reproducer, reason;
};

/// A case of a subject.
struct CaseSheet {
  size_t number = 0;  // among the cases of all subjects, from 0
  std::string line;
  bool drawn = false;                    // not of the suite
  std::vector<LawVerdict> laws;          // of the cells that had not failed; none where the case was not run
  std::map<std::string, Shrunk> shrunk;  // by law: failures that ended a cell of this run
  std::map<std::string, bool> died;      // laws at which its process ended; whether since no answer came in time
};

struct SubjectSheet {
  std::string subject, plugin;                                // plugin: the file that it comes from
  std::map<std::string, std::vector<std::string>> must_show;  // by law
  std::string death, death_case;  // the process died when it was asked which cases it takes: how, and at which; empty: it did not
  std::vector<CaseSheet> cases;
};

struct Sheets {
  Backend backend = Backend::emu;
  std::vector<std::string> laws;
  Ledger ledger;
  size_t total = 0;  // cases of all shards
  std::vector<SubjectSheet> subjects;
};

/// Adds up the cases of one subject.
class Sum {
 public:
  using Shrinker = std::function<Shrunk(const std::string& law, const Case&, const CaseSheet&, const Verdict&)>;

  Sum(const SubjectSheet&, const std::vector<std::string>& laws, const Ledger&, Backend);
  /// Laws of cells that go on: none where all have failed.
  std::vector<std::string> open() const;
  /// The next case; `shrink` gives what is put down in its sheet for each failure that ends a cell.
  void add(CaseSheet&, const Shrinker& shrink);
  /// What can only be said of all cases (vacuity, entries of the ledger that no longer happen) is left out where there are others.
  std::vector<Cell> cells(bool are_all) const;

 private:
  const SubjectSheet& sheet;
  const Ledger& ledger;
  const Backend backend;
  std::vector<Cell> all;

  bool is_known(Cell&, const Case&, const Verdict&) const;
  void fail_at_once();
  void settle(Cell&, bool are_all) const;
  Reproducer reproducer(const Cell&, const Case&) const;
};

/// Cells of all subjects, from sheets that are complete.
std::vector<Cell> added_up(Sheets&);

}  // namespace assay::properties
