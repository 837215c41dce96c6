// Worker processes: each takes one task (a line of text) at a time and answers with a line. A process and not a thread, since the emulator
// runs one launch at a time, and since a kernel may take its process with it: then another one takes its place.
#pragma once
#include <sys/types.h>

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
using Work = std::function<Answer(const std::string& task)>;

/// What became of a task.
struct Reply {
  uint64_t task = 0;
  std::string text;   // the answer, or, if there is none, why
  bool died = false;  // "the process died: Segmentation fault", "no answer within 60 s"
};

class Crew {
 public:
  /// `make` is called in each new process, before its first task, and gives what does its tasks; a BadInput of either ends up with who
  /// waits. The calling process must not have used a GPU. Processes are made when there is a task for them and end with this one, however
  /// it ends; a task of more than `patience` seconds ends its process.
  Crew(int jobs, double patience, std::function<Work()> make);
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
    int socket = -1;
    bool busy = false;
    uint64_t task = 0;
    double since = 0;
    std::string heard;  // of an answer
  };
  std::vector<Worker> workers;
  double patience;
  std::function<Work()> make;

  void open(Worker&);
  /// Ends the process, waits for it, and says how it ended.
  std::string end(Worker&, bool by_force);
  bool hear(Worker&, Reply&);
};

}  // namespace assay::properties
