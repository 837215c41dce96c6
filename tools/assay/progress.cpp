#include "tools/assay/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace assay::tools {
namespace {

constexpr size_t kBarWidth = 24;

size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 40 ? size.ws_col : 80;
}

}  // namespace

ProgressBar::ProgressBar() : terminal(isatty(STDERR_FILENO)) {}

void ProgressBar::show(size_t done, size_t all, const std::string& what) {
  if (all == 0) return;
  if (terminal) {
    const size_t filled = kBarWidth * done / all;
    const std::string line =
        fmt::format("[{}{}] {}/{}  {}", std::string(filled, '#'), std::string(kBarWidth - filled, '.'), done, all, what);
    fmt::print(stderr, "\r\033[K{}", done == all ? "" : line.substr(0, terminal_width() - 1));
  } else if (const size_t tenth = 10 * done / all; tenth > last_tenth && done < all) {
    last_tenth = tenth;
    fmt::print(stderr, "{} of {} cases\n", done, all);
  }
  std::fflush(stderr);
}

}  // namespace assay::tools
