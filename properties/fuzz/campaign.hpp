// One fuzzing run: which case is tried next, and what is known once its turn has come.
//
// Everything that is decided (the next case, whether a failure is a new one, what it shrinks to) follows from results in the order of the
// cases, never from which of them came first: cases are chosen in batches, each knowing the results of all batches but the last. So the
// run is the same with any number of processes; and a run that is taken up again makes the same choices, with results from the journal.
#pragma once
#include <deque>

#include "properties/crew/tasks.hpp"
#include "properties/fuzz.hpp"

namespace assay::properties {

class Campaign {
 public:
  Campaign(const FuzzPlan&, const BenchSettings&, const FuzzProgress&);
  Fuzzed run();

 private:
  struct Line {  // of one subject
    const Subject* subject;
    Coverage coverage;
    std::vector<Cell> cells;
    uint64_t drawn = 0;  // random numbers
    double least = 0;    // a size (draw_size) below which there are hardly any cases
    int64_t chosen = 0;
    SubjectFuzzed outcome;
  };
  struct Pending {  // a case that was chosen
    size_t line;
    Case problem;
    uint64_t task;
  };

  const FuzzPlan& plan;
  const BenchSettings& settings;
  const FuzzProgress& progress;
  std::vector<const Law*> laws;
  Tasks tasks;
  std::vector<Line> lines;
  std::deque<std::deque<Pending>> batches;                     // chosen, and not yet learned from
  std::vector<Finding> findings;
  Fuzzed result;

  std::string obituary(const std::string& task, const Reply&) const;
  std::optional<TaskResult> take(uint64_t task);
  std::optional<TaskResult> ask(const Task&);

  bool choose_batch(Line&, size_t index);
  void learn_batch();
  void learn(Line&, const Case&, TaskResult);

  void accuse(Line&, const Case&, std::vector<LawVerdict>);
  bool is_known(const Subject&, const std::string& law, const Case&) const;
  std::optional<std::string> fails(const Subject&, const std::string& law, const Case&);
  Accusation shrunk(const Subject&, const LawVerdict&, const Case&, bool& to_the_end);
  bool fails_alike(const Subject&, const Accusation&, Case);
  std::vector<FailingRegion> explored(const Subject&, const Accusation&, bool& to_the_end);
  std::vector<LawVerdict> seen_by_others(const Subject&, const Case&);
  Finding* known(const Subject&, const Case&, const std::vector<LawVerdict>&);
  void join(Finding&, const Subject&, const Case&, const std::vector<LawVerdict>&);
  void reduce_contents(Finding&);
};

}  // namespace assay::properties
