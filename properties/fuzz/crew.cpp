#include "properties/fuzz/crew.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "oracles/parameters.hpp"

namespace assay::properties {
namespace {

// The first character of an answer's line.
constexpr char kAnswer = '=', kWornOut = '.', kBadInput = '!';

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Sends a line whole; false if nobody is there to read it.
bool tell(int socket, const std::string& line) {
  for (size_t at = 0; at < line.size();) {
    const ssize_t n = send(socket, line.data() + at, line.size() - at, MSG_NOSIGNAL);
    if (n < 0 && errno != EINTR) return false;
    at += size_t(std::max<ssize_t>(n, 0));
  }
  return true;
}

/// The next line, without its end; false at the end of all.
bool listen_to(int socket, std::string& heard, std::string& line) {
  for (;;) {
    if (const size_t end = heard.find('\n'); end != heard.npos) {
      line = heard.substr(0, end), heard.erase(0, end + 1);
      return true;
    }
    char buffer[1 << 14];
    const ssize_t n = recv(socket, buffer, sizeof buffer, 0);
    if (n == 0 || (n < 0 && errno != EINTR)) return false;
    heard.append(buffer, size_t(std::max<ssize_t>(n, 0)));
  }
}

/// The life of a worker. What kernels print is nobody's, and nobody looks at what is left of one that dies.
[[noreturn]] void serve(int socket, const std::function<Work()>& make) {
  if (const int nowhere = open("/dev/null", O_WRONLY); nowhere >= 0) dup2(nowhere, STDOUT_FILENO), dup2(nowhere, STDERR_FILENO);
  const rlimit nothing{0, 0};
  setrlimit(RLIMIT_CORE, &nothing);
  Work work;
  std::string heard, task;
  while (listen_to(socket, heard, task)) {
    std::string answer;
    try {
      if (!work) work = make();
      const Answer a = work(task);
      answer = (a.worn_out ? kWornOut : kAnswer) + a.text;
    } catch (const BadInput& e) {
      answer = kBadInput + std::string(e.what());
    } catch (const std::exception& e) {
      answer = kBadInput + fmt::format("task '{}': {}", task, e.what());
    }
    if (!tell(socket, answer + "\n") || answer[0] != kAnswer) break;
  }
  _exit(0);
}

}  // namespace

Crew::Crew(int jobs, double patience, std::function<Work()> make) : workers(size_t(jobs)), patience(patience), make(std::move(make)) {}

Crew::~Crew() {
  for (Worker& w : workers)
    if (w.pid) end(w, true);
}

void Crew::open(Worker& w) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw std::system_error(errno, std::generic_category(), "worker");
  const pid_t parent = getpid();
  w.pid = fork();
  if (w.pid < 0) throw std::system_error(errno, std::generic_category(), "worker");
  if (w.pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);  // it was gone before it could be watched
    close(ends[0]);
    serve(ends[1], make);
  }
  close(ends[1]);
  w.socket = ends[0], w.heard.clear();
}

std::string Crew::end(Worker& w, bool by_force) {
  if (by_force) kill(w.pid, SIGKILL);
  int status = 0;
  while (waitpid(w.pid, &status, 0) < 0 && errno == EINTR) {
  }
  close(w.socket);
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
  if (!free->pid) open(*free);
  free->busy = true, free->task = task, free->since = now();
  tell(free->socket, text + "\n");  // a process that is gone is found out by wait()
}

bool Crew::hear(Worker& w, Reply& reply) {
  std::string line;
  if (!listen_to(w.socket, w.heard, line)) {
    reply = {w.task, "", true};
    reply.text = end(w, false);
    return true;
  }
  if (line.empty() || line[0] == kBadInput) throw BadInput(line.empty() ? "a worker gave an empty answer" : line.substr(1));
  reply = {w.task, line.substr(1), false};
  w.busy = false;
  if (line[0] == kWornOut) end(w, false);
  return true;
}

Reply Crew::wait() {
  for (;;) {
    std::vector<pollfd> ends;
    std::vector<Worker*> busy;
    double deadline = INFINITY;
    for (Worker& w : workers)
      if (w.busy) ends.push_back({w.socket, POLLIN, 0}), busy.push_back(&w), deadline = std::min(deadline, w.since + patience);
    if (busy.empty()) throw std::logic_error("no task to wait for");
    const int ready = poll(ends.data(), ends.size(), int(std::max(0.0, deadline - now()) * 1e3) + 1);
    if (ready < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "workers");
    Reply reply;
    for (size_t i = 0; i < busy.size(); i++) {
      if (ready > 0 && ends[i].revents && hear(*busy[i], reply)) return reply;
      if (now() < busy[i]->since + patience) continue;
      reply = {busy[i]->task, fmt::format("no answer within {:g} s", patience), true};
      end(*busy[i], true);
      return reply;
    }
  }
}

}  // namespace assay::properties
