#include "golden/rehearse.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <system_error>

namespace assay::golden {
namespace {

// Bytes beyond what the process has: several times the largest file that is read whole.
[[maybe_unused]] constexpr rlim_t kMemory = rlim_t{8} << 30;

constexpr unsigned kWaiting = 4;   // wall clock, for each second of processor time that it may take: it may wait for ever, too

/// Ends what asks for more memory. Not under AddressSanitizer, whose own bookkeeping takes terabytes of addresses.
void limit_memory() {
#ifndef __SANITIZE_ADDRESS__
  unsigned long long pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t most = rlim_t(pages) * rlim_t(sysconf(_SC_PAGESIZE)) + kMemory;
  const rlimit memory{most, most};
  setrlimit(RLIMIT_AS, &memory);
#endif
}

[[noreturn]] void perform(const std::function<void()>& work, unsigned seconds) {
  const rlimit time{seconds, seconds}, none{0, 0};
  setrlimit(RLIMIT_CPU, &time), setrlimit(RLIMIT_CORE, &none);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  alarm(kWaiting * seconds);
  limit_memory();
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO), dup2(nowhere, STDERR_FILENO);
  try {
    work();
  } catch (...) {  // what it throws it will throw again
  }
  _exit(0);
}

}  // namespace

unsigned patience(uintmax_t bytes) { return 5 + unsigned(bytes >> 20); }

std::optional<std::string> rehearse(const std::function<void()>& work, unsigned seconds) {
  const pid_t child = fork();
  if (child < 0) return "cannot be read by a process of its own: " + std::generic_category().message(errno);
  if (child == 0) perform(work, seconds);
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return "its reader is lost: " + std::generic_category().message(errno);
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGALRM))
    return fmt::format("its reader takes more than {} s or all of the memory", seconds);
  if (WIFSIGNALED(status)) return fmt::format("its reader crashes (signal {})", WTERMSIG(status));
  if (WEXITSTATUS(status) != 0) return fmt::format("its reader ends with {}", WEXITSTATUS(status));
  return {};
}

}  // namespace assay::golden
