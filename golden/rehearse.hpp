// A rehearsal in a child process: of work that a hostile file may crash.
#pragma once
#include <functional>
#include <optional>
#include <string>

namespace assay::golden {

/// Runs `work` in a copy of this process, which may use so many seconds of processor time and 8 GiB more memory, and says nothing. What ended
/// it in words ("crashes (signal 11)"), or nothing where it returned or threw. Whatever it did, nothing is left of it.
std::optional<std::string> rehearse(const std::function<void()>& work, unsigned seconds);

}  // namespace assay::golden
