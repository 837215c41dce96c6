// What the tensor-core and asynchronous-copy wrappers of kernels/ptx ask of the emulator's runtime.
//
// Plain declarations with default visibility, as in kernels/simt/api.hpp. Registers are passed as 32-bit words.
#pragma once

#include "kernels/simt/api.hpp"

#pragma GCC visibility push(default)
namespace simt {

enum class Operand : std::uint8_t { bf16, fp16, tf32, e4m3, e5m2, s8, u8 };
enum class Result : std::uint8_t { fp32, fp16, s32 };

// mma.sync m16n8k<k>: all 32 lanes of a warp together.
struct WarpMultiply {
  Operand a, b;
  Result result;
  int k;
  const std::uint32_t *a_registers, *b_registers, *c_registers;
  std::uint32_t* d_registers;
};
void multiply_in_warp(const WarpMultiply& what, Site site);

// ldmatrix of `count` matrices of 8 rows of 16 bytes; `row` is the one that this lane names.
void load_matrices(int count, bool transposed, const void* row, std::uint32_t* registers, Site site);

enum class Swizzle : std::uint8_t { none = 0, bytes128 = 1, bytes64 = 2, bytes32 = 3 };  // the codes of wgmma's descriptor

// A matrix in shared memory as wgmma's descriptor describes it. Offsets in bytes.
struct SharedMatrix {
  const char* start;
  unsigned leading;
  unsigned stride;
  Swizzle swizzle;
};

// wgmma.mma_async m64n<columns>k*: 32 bytes of k. Takes effect at the wait for its group.
struct WarpgroupMultiply {
  Operand type;
  Result result;
  int columns;
  const std::uint32_t* a_registers;  // null: A is `a`
  SharedMatrix a, b;
  bool a_transposed, b_transposed;  // M- or N-major
  int a_scale, b_scale;             // 1 or -1
  bool accumulate;                  // else the addend is 0
  std::uint32_t* d_registers;
};
void wgmma_fence(Site site);
void wgmma_multiply(const WarpgroupMultiply& what, Site site);
void wgmma_commit(Site site);
void wgmma_wait(int groups_left, Site site);

// fence.proxy.async: what this thread wrote to shared memory so far can be read by wgmma.
void fence_async_proxy();

// mbarrier objects, 8 bytes of shared memory each. Waits answer whether the phase of that parity has ended; one that has not lets
// other threads run first.
void mbarrier_init(std::uint64_t* barrier, unsigned arrivals, Site site);
void mbarrier_arrive(std::uint64_t* barrier, unsigned count, Site site);
void mbarrier_expect(std::uint64_t* barrier, unsigned bytes, Site site);
bool mbarrier_wait(std::uint64_t* barrier, unsigned parity, Site site);

// What a tensor map of two dimensions says. Sizes in elements, except where named otherwise.
struct TensorMap2d {
  const char* global;
  unsigned element_bytes;
  std::uint64_t width, height, row_bytes;
  unsigned box_width, box_height;
  Swizzle swizzle;
};
// cp.async.bulk.tensor.2d: a box from (x, y) on, zeros outside the tensor. Lands when somebody waits for `barrier`.
void load_box(void* shared, const TensorMap2d& map, std::uint64_t* barrier, int x, int y, Site site);

}  // namespace simt
#pragma GCC visibility pop
