// Worker processes: each takes one task (a line of text) at a time and answers with a line. A process and not a thread, since the emulator
// runs one launch at a time, and since a kernel may take its process with it: then another one takes its place.
#pragma once
#include <sys/types.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace assay::properties {

/// What a worker says of a task.
struct Answer {
  std::string text;
  bool worn_out = false;  // the process is to be replaced by a new one: it is in a state that tasks should not meet
};
/// Tells, a line at a time, how far a task is: what is known of it if its process dies.
using Say = std::function<void(const std::string& line)>;
using Work = std::function<Answer(const std::string& task, const Say&)>;

/// What became of a task.
struct Reply {
  uint64_t task = 0;
  std::string text;   // the answer, or, if there is none, why
  bool died = false;  // "the process died: Segmentation fault", "no answer within 60 s", "out of memory"
  bool hung = false;  // of those that died: it was ended since it did not answer
  std::vector<std::string> said{};   // of a task that died
};

/// What ends a process.
struct Limits {
  double patience = INFINITY;   // seconds without an answer or a line that was said
  double bytes = 0;             // of memory that it may allocate; 0: as much as there is
  bool chosen = true;           // false: `bytes` is what this machine has, and no part of what a run is
};

class Crew {
 public:
  /// `make` is called in each new process, before its first task, and gives what does its tasks; a BadInput of either ends up with who
  /// waits. The calling process must not have used a GPU. Processes are made when there is a task for them and end with this one, however
  /// it ends, together with those that they started. What a worker prints is nobody's, but for its last line on standard error, which is
  /// quoted when it dies.
  /// Of no jobs, this process does the tasks, one at a time, without limits.
  Crew(int jobs, Limits, std::function<Work()> make);
  ~Crew();
  Crew(const Crew&) = delete;

  bool has_room() const;
  bool is_busy() const;
  void start(uint64_t task, const std::string& text);
  /// Waits until a task has come to its end.
  Reply wait();

 private:
  struct Worker {
    pid_t pid = 0;  // 0: not made
    int socket = -1, errors = -1;
    bool busy = false;
    uint64_t task = 0;
    double since = 0;
    std::string heard;   // of an answer
    std::string printed; // the end of what it wrote to standard error during the task
    std::vector<std::string> said;
  };
  std::vector<Worker> workers;
  Limits limits;
  std::function<Work()> make;
  bool alone;
  Work own;
  Reply done;  // of no jobs

  void open(Worker&);
  /// Ends the process, waits for it, and says how it ended.
  std::string end(Worker&, bool by_force);
  bool hear(Worker&, Reply&);
  Reply death_of(Worker&, const std::string& how, bool hung = false);
};

/// The text that a child process gives, or what became of it. `text` is of one line; BadInput in the child is BadInput here.
Reply in_child(Limits, const std::function<std::string()>& text);

}  // namespace assay::properties
