// The checker: what a GPU hides, for kernels in images of the flavour `checked` (compiled with -fsanitize=thread and the alignment and
// bounds checks of -fsanitize=undefined, whose calls the program answers itself).
//
// Found, with kernel, block, thread, tensor, byte, row and column: accesses outside a tensor (before, after and between its rows) and
// outside shared memory; reads of what nobody wrote, in device and shared memory; writes to inputs; accesses whose address is no multiple
// of their type's alignment; array indices beyond the array; races between threads of a block since their last common barrier or
// __syncwarp, and between blocks of a launch; accesses to the target of a cp.async or a TMA load before its wait. ldmatrix reads row by
// row, by the lanes that name them; wgmma reads its operands from its start to its wait; arrivals and waits at mbarriers order what lies
// before and after them. Divergent barriers, exits before a barrier and shuffles with absent lanes are failures of the launch in every
// flavour. Findings never stop a kernel.
//
// A report is never wrong because of the order in which lanes ran; what may be missed:
// - local variables that were never written (compilers warn of some); memcpy calls of more than a few bytes (not instrumented);
// - a pointer, not an index, that runs from one __shared__ variable into another;
// - an index that misses its buffer by more than 8 GiB, or by more than 16 MiB where the address space is limited, if something is there
//   (else it is a failure of the launch);
// - races after an atomic or acquiring operation by the later block, if the earlier one has released since: any such pair is taken for
//   the synchronisation that was meant. Fences are not looked at. Of several threads that write different bytes of one 4-byte word only
//   the last is remembered, and of several barriers beyond 4 million a block none;
// - races between what any thread did before the last arrival at an mbarrier and what follows a wait at it; accesses to the mbarrier
//   objects themselves;
// - a partial __syncwarp orders its lanes after everything their warp did before.
// With sampled blocks, a launch that reads what an earlier launch's missing blocks should have written reads the unwritten.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace simt {

// Which bytes of an allocation are a tensor's elements; all others are out of bounds.
struct Elements {
  enum class Use : std::uint8_t { input, output, inout };

  std::string name;
  Use use = Use::inout;
  std::size_t first = 0;  // byte of the first element within the allocation
  std::size_t element_bytes = 1;
  std::vector<std::int64_t> shape;    // the innermost dimension is contiguous; none or a zero: no element
  std::vector<std::int64_t> strides;  // in elements, one for each leading dimension
};

// Tells the checker about an allocation of the emulated device, until it is freed: inputs hold values and must not be written, outputs hold
// nothing until a kernel writes them. An allocation that is not described is all elements that hold values. Not while a launch runs.
// False if there is no such allocation or no memory for its shadow (1 byte a byte, 5 for what may be written).
bool describe(const void* allocation, const Elements& elements);

struct Finding {
  enum class Kind : std::uint8_t {
    out_of_bounds_read,
    out_of_bounds_write,
    uninitialised_read,
    write_to_input,
    misaligned,
    index_out_of_bounds,
    race,
    missing_wait
  };

  Kind kind{};
  std::string buffer;  // the tensor, the shared variable or "dynamic shared memory"
  std::string text;    // one line: kernel, block, thread, and what is wrong
  std::uint64_t launch = 0;
  std::uint64_t block = 0;  // number within the grid
  unsigned thread = 0;      // rank within the block
  std::uint64_t count = 0;  // how often, by any thread
};

const char* name(Finding::Kind kind);

// What the launches since configure() have done: one for each kind, buffer and instruction of a launch, told by its lowest block and
// thread; in the order of launches, blocks and threads.
std::vector<Finding> checker_findings();

}  // namespace simt
