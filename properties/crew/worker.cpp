#include "properties/crew/worker.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <new>
#include <stdexcept>

#include "fixtures/case/shown.hpp"
#include "oracles/parameters.hpp"

namespace assay::properties {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr bool kCountsMemory = false;  // its shadow is some terabytes
#else
constexpr bool kCountsMemory = true;
#endif

}  // namespace

bool tell(int socket, const std::string& line) {
  for (size_t at = 0; at < line.size();) {
    const ssize_t n = send(socket, line.data() + at, line.size() - at, MSG_NOSIGNAL);
    if (n < 0 && errno != EINTR) return false;
    at += size_t(std::max<ssize_t>(n, 0));
  }
  return true;
}

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

void confine(pid_t parent, double bytes, int errors) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);  // it was gone before it could be watched
  setpgid(0, 0);
  if (const int nowhere = open("/dev/null", O_WRONLY); nowhere >= 0) dup2(nowhere, STDOUT_FILENO), close(nowhere);
  dup2(errors, STDERR_FILENO);
  const rlimit nothing{0, 0};
  setrlimit(RLIMIT_CORE, &nothing);
  if (kCountsMemory && bytes > 0) {
    const rlimit most{rlim_t(bytes), rlim_t(bytes)};
    setrlimit(RLIMIT_DATA, &most);
  }
  std::ofstream("/proc/self/oom_score_adj") << 1000;
}

void serve(int socket, const std::function<Work()>& make) {
  Work work;
  std::string heard, task;
  const Say say = [socket](const std::string& line) { tell(socket, kSaid + line + "\n"); };
  while (listen_to(socket, heard, task)) {
    std::string answer;
    try {
      if (!work) work = make();
      const Answer a = work(task, say);
      answer = (a.worn_out ? kWornOut : kAnswer) + a.text;
    } catch (const BadInput& e) {
      answer = kBadInput + printable(e.what());
    } catch (const std::bad_alloc&) {
      answer = kGaveUp + std::string("out of memory");
    } catch (const std::exception& e) {
      answer = kBadInput + fmt::format("task '{}': {}", task, printable(e.what()));
    }
    if (!tell(socket, answer + "\n") || answer[0] != kAnswer) break;
  }
  _exit(0);
}

}  // namespace assay::properties
