#include "properties/crew/crew.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "fixtures/case/shown.hpp"
#include "fixtures/parallel.hpp"
#include "oracles/parameters.hpp"
#include "properties/crew/worker.hpp"

namespace assay::properties {
namespace {

// What is kept of a worker's standard error, and what is quoted of its last line: an assertion with its file and function.
constexpr size_t kPrinted = 1 << 12, kQuoted = 240;

// Seconds for a process whose socket is closed to end: it is on its way out, unless the kernel closed what is not its own.
constexpr double kToEnd = 5;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Reads what there is, and keeps its end.
void read_errors(int file, std::string& kept) {
  char buffer[1 << 14];
  for (ssize_t n; (n = read(file, buffer, sizeof buffer)) > 0;) {
    kept.append(buffer, size_t(n));
    if (kept.size() > kPrinted) kept.erase(0, kept.size() - kPrinted);
  }
}

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1).substr(0, kQuoted);
}

}  // namespace

Crew::Crew(int jobs, Limits limits, std::function<Work()> make)
    : workers(size_t(std::max(jobs, 1))), limits(limits), make(std::move(make)), alone(jobs == 0) {}

Crew::~Crew() {
  for (Worker& w : workers)
    if (w.pid) end(w, true);
}

void Crew::open(Worker& w) {
  int ends[2], printed[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0 || pipe2(printed, O_CLOEXEC | O_NONBLOCK) != 0)
    throw std::system_error(errno, std::generic_category(), "worker");
  const pid_t parent = getpid();
  w.pid = fork();
  if (w.pid < 0) throw std::system_error(errno, std::generic_category(), "worker");
  if (w.pid == 0) {
    close(ends[0]), close(printed[0]);
    confine(parent, limits.bytes, printed[1]);
    most_threads = std::max(1u, most_threads / unsigned(workers.size()));
    serve(ends[1], make);
  }
  close(ends[1]), close(printed[1]);
  w.socket = ends[0], w.errors = printed[0], w.heard.clear();
}

std::string Crew::end(Worker& w, bool by_force) {
  siginfo_t ended{};
  for (const double deadline = now() + (by_force ? 0 : kToEnd); ended.si_pid == 0 && now() < deadline; usleep(1000))
    waitid(P_PID, id_t(w.pid), &ended, WEXITED | WNOWAIT | WNOHANG);
  kill(-w.pid, SIGKILL), kill(w.pid, SIGKILL);  // and what it started; itself, if it has not come to make a group
  int status = 0;
  while (waitpid(w.pid, &status, 0) < 0 && errno == EINTR) {
  }
  close(w.socket), close(w.errors);
  w = Worker{};
  return WIFSIGNALED(status) ? fmt::format("the process died: {}", strsignal(WTERMSIG(status)))
                             : fmt::format("the process ended itself with code {}", WEXITSTATUS(status));
}

bool Crew::has_room() const {
  return std::ranges::any_of(workers, [](const Worker& w) { return !w.busy; });
}
bool Crew::is_busy() const {
  return std::ranges::any_of(workers, [](const Worker& w) { return w.busy; });
}

void Crew::start(uint64_t task, const std::string& text) {
  auto free = std::ranges::find_if(workers, [](const Worker& w) { return !w.busy && w.pid; });
  if (free == workers.end()) free = std::ranges::find_if(workers, [](const Worker& w) { return !w.busy; });
  free->busy = true, free->task = task, free->since = now();
  if (alone) {
    if (!own) own = make();
    done = {.task = task, .text = own(text, [](const std::string&) {}).text};
    return;
  }
  if (!free->pid) open(*free);
  read_errors(free->errors, free->printed);
  free->said.clear(), free->printed.clear();
  tell(free->socket, text + "\n");  // a process that is gone is found out by wait()
}

Reply Crew::death_of(Worker& w, const std::string& how, bool hung) {
  read_errors(w.errors, w.printed);
  Reply reply{.task = w.task, .text = "", .died = true, .hung = hung, .said = w.said};
  const std::string last = printable(last_line(w.printed));
  const std::string end_of_it = end(w, !how.empty());
  reply.text = (how.empty() ? end_of_it : how) + (last.empty() ? "" : fmt::format("; the last it said: '{}'", last));
  return reply;
}

/// Whether that was the end of its task.
bool Crew::hear(Worker& w, Reply& reply) {
  std::string line;
  if (!listen_to(w.socket, w.heard, line)) {
    reply = death_of(w, "");
    return true;
  }
  w.since = now();
  switch (const std::string text = line.substr(std::min<size_t>(line.size(), 1)); line.empty() ? '\0' : line[0]) {
    case kSaid: w.said.push_back(text); return false;
    case kBadInput: throw BadInput(text);
    case kGaveUp: reply = death_of(w, text); return true;
    case kAnswer:
    case kWornOut:
      reply = {.task = w.task, .text = text};
      w.busy = false;
      if (line[0] == kWornOut) end(w, false);
      return true;
    default: reply = death_of(w, "the process answered what is no answer"); return true;
  }
}

Reply Crew::wait() {
  if (alone) {
    if (!workers[0].busy) throw std::logic_error("no task to wait for");
    workers[0].busy = false;
    return std::move(done);
  }
  for (;;) {
    std::vector<pollfd> ends;
    std::vector<Worker*> busy;
    double deadline = INFINITY;
    for (Worker& w : workers)
      if (w.busy) {
        ends.push_back({w.socket, POLLIN, 0}), busy.push_back(&w), deadline = std::min(deadline, w.since + limits.patience);
        read_errors(w.errors, w.printed);
      }
    if (busy.empty()) throw std::logic_error("no task to wait for");
    // No longer than a second, so that what is printed to a full pipe is read on.
    const int ready = poll(ends.data(), ends.size(), int(std::clamp(deadline - now(), 0.0, 1.0) * 1e3) + 1);
    if (ready < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "workers");
    Reply reply;
    for (size_t i = 0; i < busy.size(); i++) {
      if (ready > 0 && ends[i].revents) {
        if (hear(*busy[i], reply)) return reply;
        while (busy[i]->heard.find('\n') != std::string::npos)  // lines that came together
          if (hear(*busy[i], reply)) return reply;
      }
      if (now() >= busy[i]->since + limits.patience)
        return death_of(*busy[i], fmt::format("no answer within {:g} s", limits.patience), true);
    }
  }
}

Reply in_child(Limits limits, const std::function<std::string()>& text) {
  Crew crew(1, limits, [&]() -> Work { return [&](const std::string&, const Say&) { return Answer{.text = text()}; }; });
  crew.start(0, "");
  return crew.wait();
}

}  // namespace assay::properties
