// The other end of a crew: what a worker process may use, and how it talks. A line is one of these characters and a text.
#pragma once
#include <sys/types.h>

#include <string>

#include "properties/crew/crew.hpp"

namespace assay::properties {

inline constexpr char kAnswer = '=', kWornOut = '.', kSaid = '~', kGaveUp = '#', kBadInput = '!';

/// Sends a line whole; false if nobody is there to read it.
bool tell(int socket, const std::string& line);

/// The next line, without its end; false at the end of all. `heard`: what has come of it so far.
bool listen_to(int socket, std::string& heard, std::string& line);

/// Of a process that was just forked: it ends with `parent`, leads a group of its own, allocates no more than `bytes` (0: no limit), leaves
/// no core, is the first to go where memory runs out, and prints to nowhere, but to `errors` what goes to standard error.
void confine(pid_t parent, double bytes, int errors);

/// The life of a worker.
[[noreturn]] void serve(int socket, const std::function<Work()>& make);

}  // namespace assay::properties
