// A rehearsal in a child process: of work that a hostile file may crash.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace assay::golden {

/// Runs `work` in a copy of this process, which may use so many seconds of processor time, four times as many by the clock and 8 GiB more memory,
/// and says nothing. What ended it in words ("crashes (signal 11)"), or nothing where it returned or threw. Whatever it did, nothing is left of it.
std::optional<std::string> rehearse(const std::function<void()>& work, unsigned seconds);

/// Seconds of processor time for so many bytes: HDF5 gets through some 50 MB in one, and damage may send it round in circles.
unsigned patience(uintmax_t bytes);

}  // namespace assay::golden
