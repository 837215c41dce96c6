#include "kernels/simt/runtime/fiber.hpp"

#include <pthread.h>

#include <cstdint>

#ifndef SIMT_PORTABLE_SWITCH
// The System V ABI's callee-saved registers; MXCSR and the x87 control word are the same in all fibers.
asm(R"(.text
.globl simt_switch
.hidden simt_switch
.type simt_switch,@function
simt_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size simt_switch,.-simt_switch
)");
#endif

namespace simt {

void prepare(Fiber& fiber, Stack stack, std::size_t colour, void (*entry)()) {
  forget_frames(stack);
  fiber.stack = stack;
  fiber.sanitizer_state = nullptr;
#ifdef SIMT_PORTABLE_SWITCH
  getcontext(&fiber.context);
  fiber.context.uc_stack = {.ss_sp = stack.low, .ss_flags = 0, .ss_size = stack.size - colour};
  fiber.context.uc_link = nullptr;
  makecontext(&fiber.context, entry, 0);
#else
  const auto top = (reinterpret_cast<std::uintptr_t>(stack.low) + stack.size - colour) & ~std::uintptr_t{15};
  auto** slot = reinterpret_cast<void**>(top);
  *--slot = nullptr;  // the return address of `entry`: ends a debugger's walk
  *--slot = reinterpret_cast<void*>(entry);
  for (int saved = 0; saved < 6; ++saved) *--slot = nullptr;
  fiber.stack_pointer = slot;
#endif
}

Stack host_stack() {
  pthread_attr_t attributes;
  pthread_getattr_np(pthread_self(), &attributes);
  void* low = nullptr;
  std::size_t size = 0;
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  return {static_cast<char*>(low), size};
}

}  // namespace simt
