// The one line that a failed launch leaves behind.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/simt/api.hpp"

namespace simt {

struct Block;
struct Lane;

// Notes that a thread of the block failed, or with no lane the block as a whole: kernel, block and thread are put before `text`. Of
// several failures of a launch the one of the lowest block is kept.
void record_failure(const Block& block, const Lane* lane, Site site, const std::string& text);
// Notes why a launch could not start.
void record_refusal(const Launch& launch, const std::string& text);

// For launches: forgets the failure of the one before; whether there has been one since.
void begin_reporting();
bool failed();
void clear_report();

// Where the threads of a block wait, in words.
std::string describe_waits(const Block& block);
std::string text(Site site);
const char* name(Collective kind);

}  // namespace simt
