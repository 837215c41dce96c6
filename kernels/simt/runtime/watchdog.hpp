// Ends launches in which a thread runs for ever: no barrier, no collective, no wait for memory, and no end.
//
// A thread of the program looks at every seat once in a while. One that has used Options::patience seconds of processor time in the same
// emulated thread gets a signal, whose handler makes that thread go on in a report, as a memory fault does. It interrupts code of the
// kernel's own file alone, never the runtime: nothing is left locked or half done. What is not found: loops whose threads do take turns.
#pragma once

#include <signal.h>

#include <cstdint>

namespace simt {

struct Block;

// While it exists, the block of the calling host thread is looked after.
class Watchdog {
 public:
  // `seconds` <= 0: nobody looks.
  Watchdog(const Block& block, const void* kernel, double seconds);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  bool watching_;
};

// Whether the calling host thread's emulated thread is to be ended, interrupted at this instruction.
bool is_overdue(const void* instruction);
// The signal that asks. Ignored where nobody handles it.
constexpr int kOverdueSignal = SIGURG;

}  // namespace simt
