// A stack of its own and the switch between such stacks. One fiber runs one emulated thread.
//
// Two back ends: a few instructions of x86-64 that end in `ret` (a `jmp` would leave the processor's return predictor off by one and make
// every following return mispredict), and ucontext everywhere else or with SIMT_PORTABLE_SWITCH (a system call per switch).
#pragma once

#include <cstddef>

#if !defined(__x86_64__) && !defined(SIMT_PORTABLE_SWITCH)
#define SIMT_PORTABLE_SWITCH
#endif
#ifdef SIMT_PORTABLE_SWITCH
#include <ucontext.h>
#endif
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace simt {

struct Stack {
  char* low = nullptr;
  std::size_t size = 0;
};

struct Fiber {
#ifdef SIMT_PORTABLE_SWITCH
  ucontext_t context;
#else
  void* stack_pointer = nullptr;
#endif
  Stack stack;
  void* sanitizer_state = nullptr;
};

// Makes `fiber` start in `entry` at its next switch. `entry` calls fiber_started() first and never returns.
// `colour` bytes of the stack's top stay unused: stacks that all begin at the same place of a page fight for the same cache sets.
// A fiber that was abandoned in the middle may be prepared again.
void prepare(Fiber& fiber, Stack stack, std::size_t colour, void (*entry)());

// The stack of the calling host thread, for the fiber that stands for it.
Stack host_stack();

#ifndef SIMT_PORTABLE_SWITCH
extern "C" void simt_switch(void** save, void* load);
#endif

inline void fiber_started() {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
}

// Forgets what the sanitizer knows of the frames on a stack that is about to be used afresh.
inline void forget_frames([[maybe_unused]] Stack stack) {
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region(stack.low, stack.size);
#endif
}

// Leaves `from` and goes on in `to`; returns when something switches to `from` again.
inline void switch_fiber(Fiber& from, Fiber& to) {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(&from.sanitizer_state, to.stack.low, to.stack.size);
#endif
#ifdef SIMT_PORTABLE_SWITCH
  swapcontext(&from.context, &to.context);
#else
  simt_switch(&from.stack_pointer, to.stack_pointer);
#endif
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(from.sanitizer_state, nullptr, nullptr);
#endif
}

}  // namespace simt
