// The emulator's side of the comparison: block hashes of the modelled functions, evaluated by the host.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace simt::measure {

struct Modelled {
  const char* name;
  std::uint64_t (*block_hash)(std::uint32_t block);
};

std::span<const Modelled> modelled_functions();

// The blocks whose hashes differ from those measured (kBlocks of them), among every `step`-th block; on all cores.
std::vector<std::uint32_t> differing_blocks(const Modelled& function, std::span<const std::uint64_t> measured, std::uint32_t step);

}  // namespace simt::measure
