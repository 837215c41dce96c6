// Takes records: runs subjects and keeps what they computed.
#pragma once
#include "fixtures/bench/bench.hpp"
#include "golden/record.hpp"

namespace assay::golden {

/// A record, or why there is none: Skip (not supported here; on the emulator also: too large to run whole) or Fail. Fail with a record: of
/// bits that do not conform.
struct Take {
  std::optional<Record> record;
  Verdict verdict;
};

/// Runs the case twice, whole, and judges it. Bits that differ between the runs are no bits to record, nor are those of a run that fails or
/// does damage. `multiply_adds`: cases that cost more get tiles that fit the kernel's blocks, since the emulator will only sample them.
Take take(Bench&, const Subject&, const Case&, double multiply_adds);

}  // namespace assay::golden
