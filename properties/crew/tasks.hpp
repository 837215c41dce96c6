// Tasks by number: handed to a crew, or answered from the journal of an earlier run. Answers are taken in whatever order they are asked
// for, so that what is decided with them does not depend on which came first.
#pragma once
#include <deque>
#include <optional>
#include <unordered_map>

#include "properties/crew/crew.hpp"
#include "properties/crew/journal.hpp"

namespace assay::properties {

class Tasks {
 public:
  /// What a task gave. A task that is left (empty: none) is then done in its place, and what that gives stands behind, after a tab.
  struct Outcome {
    std::string text, rest;
  };
  /// Reads a reply, of a process that died too.
  using Reading = std::function<Outcome(const std::string& task, const Reply&)>;

  /// `seconds`: of all runs on the journal, after which no task is begun that is not urgent; 0: no limit.
  Tasks(int jobs, Limits, double seconds, std::function<Work()> make, Reading);
  /// As Journal::open. Before the first task.
  void remember(const std::string& path, const std::string& command, const std::string& owner);

  /// `key`: what the journal calls it, if it is not the text. Urgent tasks are begun before all others.
  uint64_t submit(const std::string& text, bool urgently, const std::string& key = {});
  /// Waits for the answer; nothing if time ran out before the task was begun.
  std::optional<std::string> take(uint64_t task);

  int64_t remembered() const { return from_journal; }  // tasks that were answered so, but for urgent ones
  double seconds() const;                              // of this run
  double seconds_before() const { return before; }     // of earlier ones on the journal
  bool out_of_time() const { return limit > 0 && before + seconds() >= limit; }

 private:
  struct Waiting {
    std::string text, key;
    std::string given{};  // by what was done of it
  };
  Crew crew;
  double limit;
  Reading reading;
  Journal journal;
  std::unordered_map<uint64_t, Waiting> waiting;
  std::unordered_map<uint64_t, std::string> answers;
  std::deque<uint64_t> order, urgent;  // tasks that wait
  uint64_t count = 0;
  int64_t from_journal = 0;
  double started, before = 0;

  bool pump();
};

}  // namespace assay::properties
