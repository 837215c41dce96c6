#include "kernels/simt/runtime/report.hpp"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <mutex>
#include <tuple>

#include "kernels/simt/runtime/block.hpp"
#include "kernels/simt/session.hpp"
#include "kernels/simt/runtime/symbol.hpp"

namespace simt {
namespace {

constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

struct Report {
  std::mutex mutex;
  std::string line;
  std::uint64_t block = kNone;  // whose failure the line is
};

Report report;

std::string text(const Wait& wait) {
  switch (wait.what) {
    case Wait::For::barrier: return fmt::format("at the barrier of {}", text(wait.site));
    case Wait::For::collective: return fmt::format("in {} with mask {:08x} at {}", name(wait.collective), wait.mask, text(wait.site));
    case Wait::For::memory: return fmt::format("for memory to change at {}", text(wait.site));
    case Wait::For::nothing: break;
  }
  return "for nothing";
}

}  // namespace

void record_failure(const Block& block, const Lane* lane, Site site, const std::string& what) {
  std::string line = fmt::format("kernel {}, block {}", symbol_name(block.launch->kernel), text(block.lanes[0].thread.block_index));
  if (lane) line += fmt::format(", thread {}", text(lane->thread.thread_index));
  if (site.file) line += ", " + text(site);
  std::lock_guard lock(report.mutex);
  if (report.block != kNone && report.block <= block.number) return;
  report.block = block.number;
  report.line = line + ": " + what;
}

void record_refusal(const Launch& launch, const std::string& what) {
  std::lock_guard lock(report.mutex);
  report.block = 0;
  report.line = fmt::format("kernel {}, launched at {}: {}", symbol_name(launch.kernel), text(launch.site), what);
}

void begin_reporting() { report.block = kNone; }
bool failed() { return report.block != kNone; }
const std::string& last_report() { return report.line; }

void clear_report() {
  report.line.clear();
  report.block = kNone;
}

std::string describe_waits(const Block& block) {
  struct Crowd {
    int size = 0;
    std::string first;
  };
  std::map<std::string, Crowd> crowds;
  for (unsigned i = 0; i < block.threads; ++i) {
    const Lane& lane = block.lanes[i];
    if (!lane.alive) continue;
    Crowd& crowd = crowds[text(lane.wait)];
    if (!crowd.size++) crowd.first = text(lane.thread.thread_index);
  }
  std::string line;
  for (const auto& [where, crowd] : crowds) {
    if (!line.empty()) line += ", ";
    line += fmt::format("{} thread{} (first {}) {}", crowd.size, crowd.size == 1 ? " waits" : "s wait", crowd.first, where);
  }
  const int exited = static_cast<int>(block.threads) - block.alive;
  return exited ? fmt::format("{}, {} exited", line, exited) : line;
}

std::string text(Site site) { return site.file ? fmt::format("{}:{}", site.file, site.line) : "?"; }
std::string text(uint3 index) { return fmt::format("({},{},{})", index.x, index.y, index.z); }

const char* name(Collective kind) {
  switch (kind) {
    case Collective::sync_warp: return "__syncwarp";
    case Collective::shuffle: return "__shfl_sync";
    case Collective::shuffle_up: return "__shfl_up_sync";
    case Collective::shuffle_down: return "__shfl_down_sync";
    case Collective::shuffle_xor: return "__shfl_xor_sync";
    case Collective::ballot: return "__ballot_sync";
    case Collective::all: return "__all_sync";
    case Collective::any: return "__any_sync";
    case Collective::reduce_add: return "__reduce_add_sync";
    case Collective::reduce_min: return "__reduce_min_sync";
    case Collective::reduce_max: return "__reduce_max_sync";
    case Collective::reduce_and: return "__reduce_and_sync";
    case Collective::reduce_or: return "__reduce_or_sync";
    case Collective::reduce_xor: return "__reduce_xor_sync";
    case Collective::match_any: return "__match_any_sync";
    case Collective::match_all: return "__match_all_sync";
    case Collective::mma_sync: return "mma.sync";
    case Collective::load_matrices: return "ldmatrix";
    case Collective::wgmma_fence: return "wgmma.fence";
    case Collective::wgmma_multiply: return "wgmma.mma_async";
    case Collective::wgmma_commit: return "wgmma.commit_group";
    case Collective::wgmma_wait: return "wgmma.wait_group";
  }
  return "a collective";
}

}  // namespace simt
