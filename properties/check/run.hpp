// One run of a check: hands out its cases, and adds up what comes back in the order of the cases.
#pragma once
#include "properties/check.hpp"
#include "properties/check/checker.hpp"
#include "properties/check/within.hpp"
#include "properties/crew/tasks.hpp"

namespace assay::properties {

class CheckRun {
 public:
  CheckRun(const Plan&, const BenchSettings&, const Progress&);
  std::vector<Cell> run();
  Sheets& sheets() { return kept; }

 private:
  struct Item {
    size_t subject;
    Case problem;
    CaseSheet sheet;
    std::optional<uint64_t> task{};
  };

  const Plan& plan;
  BenchSettings settings;
  Sheets kept;
  Within within;
  Tasks tasks;
  std::vector<Item> items;  // of this shard, in order
  std::vector<Sum> sums;    // by subject

  void open_subjects();
  void submit(Item&);
  Shrunk shrunk(const Subject&, const std::string& law, const Case&, const CaseSheet&, const Verdict&);
};

}  // namespace assay::properties
