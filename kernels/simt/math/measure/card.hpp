// The card's side: results of the instructions as bits, and block hashes of every function. Errors of the CUDA runtime end the program
// with one line, exit code 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace simt::measure {

struct Card {
  std::string name;          // "NVIDIA H200"
  std::string architecture;  // "sm_90"
  std::string toolkit;       // "CUDA 13.0"
};

Card card();

enum class Instruction { ex2, rcp, rsqrt, lg2 };

// The results for `count` arguments whose bits follow each other from `first` on.
std::vector<std::uint32_t> results(Instruction instruction, std::uint32_t first, std::size_t count);

struct Hashed {
  const char* name;
  void (*launch)(std::uint64_t* block_hashes);
};

// The modelled functions and those that only the card has.
std::span<const Hashed> hashed_functions();

// One hash for each block of arguments.
std::vector<std::uint64_t> block_hashes(const Hashed& function);

}  // namespace simt::measure
