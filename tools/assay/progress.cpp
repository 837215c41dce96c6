#include "tools/assay/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>

namespace assay::tools {
namespace {

constexpr size_t kBarWidth = 24;

size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 40 ? size.ws_col : 80;
}

}  // namespace

ProgressBar::ProgressBar(std::string unit) : unit(std::move(unit)), terminal(isatty(STDERR_FILENO)) {}

void ProgressBar::show(double done, size_t all, const std::string& what) {
  if (all == 0) return;
  const double share = done / double(all);
  const bool ended = done >= double(all);
  if (terminal) {
    const auto filled = size_t(double(kBarWidth) * share);
    const std::string within = done == std::floor(done) ? "" : fmt::format(" {:.0f} %", 100 * (done - std::floor(done)));
    const std::string line =
        fmt::format("[{}{}] {:.0f}/{}{}  {}", std::string(filled, '#'), std::string(kBarWidth - filled, '.'), std::floor(done), all, within, what);
    fmt::print(stderr, "\r\033[K{}", ended ? "" : line.substr(0, terminal_width() - 1));
  } else if (const int tenth = int(10 * share); tenth > last_tenth && !ended) {
    last_tenth = tenth;
    fmt::print(stderr, "{:g} of {} {}\n", std::floor(10 * done) / 10, all, unit);
  }
  std::fflush(stderr);
}

}  // namespace assay::tools
