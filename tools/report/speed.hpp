// What `assay bench` measured, ready to be shown.
#pragma once
#include <string>
#include <vector>

#include "fixtures/timing/machine.hpp"

namespace assay::report {

struct SpeedReport {
  std::string shapes;  // where the cases are from
  std::string backend;
  DeviceDescription device;
  Timer::Card card, card_after;  // as the ceilings were measured, and at the end
  std::string library;           // "cuBLAS 13.1.0", or "" and then
  std::string no_library;        // why there is none
  MeasuredCeilings ceilings;
  Spread nothing;  // what an empty kernel takes
  size_t flush_bytes = 0;
  double seconds = 0;
  std::vector<Speed> speeds;
};

/// 0 something was measured and nothing failed, 1 a failure, 3 nothing was measured.
int exit_code(const std::vector<Speed>&);

/// On a card: the ceilings, a table for each subject, and the speed-up over cuBLAS BF16 by M with the M where it ends. On the emulator:
/// host times, and a line that says so.
std::string to_text(const SpeedReport&);
std::string to_json(const SpeedReport&);

}  // namespace assay::report
