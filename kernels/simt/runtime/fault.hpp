// Turns a memory fault of an emulated thread, or its running for ever, into a report.
#pragma once

namespace simt {

// Prepares this host thread, once: from now on a fault by one of its emulated threads ends their launch with a report that names the
// address, and any other fault goes where it went before. A thread that the watchdog signals ends likewise.
void catch_faults();

}  // namespace simt
