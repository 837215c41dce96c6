#include "kernels/simt/runtime/fault.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <ucontext.h>

#include <memory>
#include <mutex>

#include "kernels/simt/runtime/block.hpp"
#include "kernels/simt/runtime/memory.hpp"
#include "kernels/simt/runtime/symbol.hpp"
#include "kernels/simt/runtime/watchdog.hpp"

namespace simt {
namespace {

struct Fault {
  int signal;
  int code;
  const char* address;
  const void* instruction;
};

constinit thread_local Fault last_fault{};
struct sigaction previous[NSIG];

// A signal handler may not run on the faulting thread's own stack: that one may be what overflowed.
struct AlternateStack {
  static constexpr std::size_t kSize = 64 << 10;
  std::unique_ptr<char[]> memory = std::make_unique<char[]>(kSize);
  stack_t before{};

  AlternateStack() {
    const stack_t own{.ss_sp = memory.get(), .ss_flags = 0, .ss_size = kSize};
    sigaltstack(&own, &before);
  }
  ~AlternateStack() { sigaltstack(&before, nullptr); }
};

std::string cause(const Fault& fault, Stack stack) {
  if (fault.signal == kOverdueSignal)
    return fmt::format(
        "{} s of processor time without a barrier, a collective or an end: an endless loop (only acquire loads, atomics and "
        "__nanosleep let others run), or Options::patience is too short",
        options().patience);
  if (fault.signal == SIGFPE) return "integer division by zero or an overflow of it: on the card the result is undefined";
  if (fault.signal == SIGILL) return "an illegal instruction, such as a compiler's trap after undefined behaviour";
  if (fault.address >= stack.low - 4096 && fault.address < stack.low)
    return fmt::format("the thread's stack of {} bytes is used up: large arrays belong in shared memory", stack.size);
  if (fault.code == SI_KERNEL) return "a vector access whose address is no multiple of its size, or an address that cannot exist";
  return fmt::format("no memory at address {:#x} ({})", reinterpret_cast<std::uintptr_t>(fault.address), locate(fault.address));
}

std::string describe(const Fault& fault, Stack stack) {
  return fmt::format("{}, in {}", cause(fault, stack), symbol_name(fault.instruction));
}

// Runs on the faulting thread's stack from its top: nothing there is needed any more.
[[noreturn]] void report_fault() {
  const Stack stack = running->lane->fiber.stack;
  forget_frames(stack);
  const Fault fault = last_fault;
  fail({}, describe(fault, stack));
}

// Makes the interrupted thread go on in report_fault() once the handler returns; the handler itself may call next to nothing.
void redirect(ucontext_t& context, Stack stack) {
  const auto top = (reinterpret_cast<std::uintptr_t>(stack.low) + stack.size) & ~std::uintptr_t{15};
#if defined(__x86_64__)
  last_fault.instruction = reinterpret_cast<const void*>(context.uc_mcontext.gregs[REG_RIP]);
  context.uc_mcontext.gregs[REG_RIP] = reinterpret_cast<greg_t>(&report_fault);
  context.uc_mcontext.gregs[REG_RSP] = static_cast<greg_t>(top - 8);  // as a call would leave it
#elif defined(__aarch64__)
  last_fault.instruction = reinterpret_cast<const void*>(context.uc_mcontext.pc);
  context.uc_mcontext.pc = reinterpret_cast<std::uintptr_t>(&report_fault);
  context.uc_mcontext.sp = top;
#else
#error "name the program counter and the stack pointer of this processor here"
#endif
}

void on_fault(int signal, siginfo_t* info, void* context) {
  if (!current) {
    sigaction(signal, &previous[signal], nullptr);  // the instruction faults again, for whoever was there before
    return;
  }
  last_fault = {signal, info->si_code, static_cast<const char*>(info->si_addr), nullptr};
  redirect(*static_cast<ucontext_t*>(context), running->lane->fiber.stack);
}

const void* instruction_of(const ucontext_t& context) {
#if defined(__x86_64__)
  return reinterpret_cast<const void*>(context.uc_mcontext.gregs[REG_RIP]);
#else
  return reinterpret_cast<const void*>(context.uc_mcontext.pc);
#endif
}

void on_overdue(int signal, siginfo_t*, void* raw) {
  auto& context = *static_cast<ucontext_t*>(raw);
  if (!current || !is_overdue(instruction_of(context))) return;
  last_fault = {signal, 0, nullptr, nullptr};
  redirect(context, running->lane->fiber.stack);
}

void install_handlers() {
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  struct sigaction overdue {};
  overdue.sa_sigaction = on_overdue;
  overdue.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigaction(kOverdueSignal, &overdue, nullptr);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(signal, &action, &previous[signal]);
}

}  // namespace

void catch_faults() {
  static std::once_flag once;
  std::call_once(once, install_handlers);
  thread_local AlternateStack stack;
}

}  // namespace simt
