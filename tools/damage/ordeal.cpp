#include "tools/damage/ordeal.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "tools/damage/damage.hpp"

namespace assay::tools {
namespace {

constexpr unsigned kPatience = 60;  // seconds for one text: what reads some kilobytes and takes longer hangs
constexpr size_t kLongestComplaint = 8192;

/// What the child leaves for its parent, whatever becomes of it.
struct Ledger {
  uint64_t seed, accepted, refused;
  char fault[1024];
};

void note(Ledger& ledger, const std::string& what) { std::snprintf(ledger.fault, sizeof ledger.fault, "%s", what.c_str()); }

void read_one(const Reader& reader, uint64_t seed, Ledger& ledger) {
  const std::string text = damaged(reader.whole, seed);
  try {
    reader.read(text);
    ledger.accepted++;
  } catch (const std::runtime_error& e) {  // BadInput is one
    ledger.refused++;
    const size_t length = std::strlen(e.what());
    if (length == 0 || length > kLongestComplaint)
      note(ledger, fmt::format("a complaint of {} characters: {}", length, std::string(e.what()).substr(0, 400)));
  } catch (const std::exception& e) {
    note(ledger, fmt::format("an internal error: {}", e.what()));
  }
}

[[noreturn]] void child(const Reader& reader, uint64_t first, uint64_t count, Ledger& ledger) {
  for (ledger.seed = first; ledger.seed < first + count && !ledger.fault[0]; ledger.seed++) {
    alarm(kPatience);
    read_one(reader, ledger.seed, ledger);
    if (ledger.fault[0]) break;
  }
  _exit(0);
}

}  // namespace

Endured endure(const Reader& reader, uint64_t first, uint64_t count) {
  void* shared = mmap(nullptr, sizeof(Ledger), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::runtime_error("no shared memory");
  Ledger& ledger = *new (shared) Ledger{};
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid == 0) child(reader, first, count, ledger);
  int status = 0;
  rusage usage{};
  if (pid < 0 || wait4(pid, &status, 0, &usage) != pid) throw std::runtime_error("no child process");
  Endured e{.accepted = ledger.accepted, .refused = ledger.refused, .fault = ledger.fault, .peak = double(usage.ru_maxrss) * 1024};
  if (WIFSIGNALED(status))
    e.fault = WTERMSIG(status) == SIGALRM ? "a hang" : fmt::format("a crash, signal {}", WTERMSIG(status));
  else if (WEXITSTATUS(status))
    e.fault = fmt::format("the process ended with {}", WEXITSTATUS(status));
  if (!e.fault.empty()) e.fault = fmt::format("{} at seed {}: {}", reader.name, ledger.seed, e.fault);
  munmap(shared, sizeof(Ledger));
  return e;
}

}  // namespace assay::tools
