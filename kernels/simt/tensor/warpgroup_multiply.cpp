// wgmma as its warps call it. Warps of a warpgroup do not wait for each other here; each must make the same calls.
#include <cstring>

#include "kernels/simt/tensor/instruction.hpp"
#include "kernels/simt/tensor/shared_matrix.hpp"
#include "kernels/simt/tensor/together.hpp"

namespace simt {
namespace {

struct Call {
  bool done;
};

struct MultiplyCall {
  const WarpgroupMultiply* what;
  bool done;
};

WarpgroupWork& work() { return running->warp_of(*running->lane).warpgroup; }

bool first(Collective kind, Site site) {
  Call mine{}, *all[32];
  return first_of_warp(kind, mine, all, site);
}

bool same(const SharedMatrix& a, const SharedMatrix& b) {
  return a.start == b.start && a.leading == b.leading && a.stride == b.stride && a.swizzle == b.swizzle;
}

void check(const WarpgroupMultiply& what, Site site) {
  if (running->threads < (running->lane->thread.warp / 4 + 1) * 128)
    fail(site, "wgmma in a block that has no whole warpgroup here: a warpgroup is 4 warps, the first a multiple of 4");
  const SharedMatrix* matrices[] = {&what.b, what.a_registers ? &what.b : &what.a};
  for (const SharedMatrix* m : matrices)
    if (reinterpret_cast<std::uintptr_t>(m->start) % 16 || m->leading % 16 || m->stride % 16)
      fail(site, "wgmma with a matrix in shared memory whose start or offsets are no multiples of 16 bytes: they must be");
}

PendingMultiply together(MultiplyCall* const (&all)[32], const void* code, Site site) {
  PendingMultiply pending{
      .what = *all[0]->what,
      .quarter = static_cast<int>(running->lane->thread.warp % 4),
      .a = {},
      .d = {},
      .undefined = false,
      .start = watching ? watching->start_read() : Moment{},
      .code = code};
  for (std::size_t lane = 0; lane < 32; ++lane) {
    const WarpgroupMultiply& what = *all[lane]->what;
    pending.d[lane] = what.d_registers;
    if (what.a_registers) std::memcpy(pending.a[lane].data(), what.a_registers, 16);
    if (!same(what.b, pending.what.b) || (!what.a_registers && !same(what.a, pending.what.a)) || what.accumulate != pending.what.accumulate)
      fail(site, "wgmma.mma_async whose lanes name different matrices or addends: all threads of a warpgroup must name the same");
  }
  return pending;
}

}  // namespace

void wgmma_fence(Site site) {
  if (first(Collective::wgmma_fence, site)) work().fence();
}

void wgmma_multiply(const WarpgroupMultiply& what, Site site) {
  check(what, site);
  running->async_view.settle();
  MultiplyCall mine{&what, false}, *all[32];
  if (first_of_warp(Collective::wgmma_multiply, mine, all, site)) work().issue(together(all, __builtin_return_address(0), site));
}

void wgmma_commit(Site site) {
  if (first(Collective::wgmma_commit, site)) work().commit();
}

void wgmma_wait(int groups_left, Site site) {
  const auto left = static_cast<std::size_t>(groups_left);
  if (watching && current->lane == 0) work().end_reads(left);
  if (first(Collective::wgmma_wait, site)) work().wait(left, running->async_view);
}

void fence_async_proxy() { running->async_view.fence(); }

}  // namespace simt
