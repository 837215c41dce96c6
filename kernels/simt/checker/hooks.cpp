// What instrumented images call. The names are those of the ThreadSanitizer and UndefinedBehaviorSanitizer runtimes, which are not linked.
#include <cstdint>

#include "kernels/simt/checker/access.hpp"

namespace simt {

struct Hook {
  template <Access access, unsigned size>
  [[gnu::always_inline]] static void check(const volatile void* address, const void* code) {
    if (Watch* watch = watching) watch->check_sized<access, size>(const_cast<const void*>(address), code);
  }
  // Atomic operations order what comes before and after them, whatever order they ask for.
  template <Access access, unsigned size>
  static void atomic(const volatile void* address, const void* code) {
    Watch* watch = watching;
    if (!watch) return;
    watch->check_sized<access, size>(const_cast<const void*>(address), code);
    if (writes(access)) watch->release();
    watch->acquire();
  }
};

namespace {

// The layouts of the compiler's static data about a check.
struct Place {
  const char* file;
  std::uint32_t line, column;
};
struct Type {
  std::uint16_t kind, info;
  char name[];
};
struct TypeMismatch {
  Place place;
  const Type* type;
  unsigned char log_alignment, kind;
};
struct OutOfBounds {
  Place place;
  const Type *array, *index;
};

}  // namespace
}  // namespace simt

using namespace simt;
#define SIMT_CODE __builtin_return_address(0)

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) {}

#define SIMT_PLAIN(size)                                                                        \
  void __tsan_read##size(void* p) { Hook::check<Access::read, size>(p, SIMT_CODE); }            \
  void __tsan_write##size(void* p) { Hook::check<Access::write, size>(p, SIMT_CODE); }          \
  void __tsan_volatile_read##size(void* p) { Hook::check<Access::read, size>(p, SIMT_CODE); }   \
  void __tsan_volatile_write##size(void* p) { Hook::check<Access::write, size>(p, SIMT_CODE); } \
  void __tsan_unaligned_read##size(void* p) { Hook::check<Access::read, size>(p, SIMT_CODE); }  \
  void __tsan_unaligned_write##size(void* p) { Hook::check<Access::write, size>(p, SIMT_CODE); }
SIMT_PLAIN(1)
SIMT_PLAIN(2)
SIMT_PLAIN(4)
SIMT_PLAIN(8)
SIMT_PLAIN(16)
#undef SIMT_PLAIN

void __tsan_read_range(void* p, unsigned long bytes) {
  if (watching) watching->check_range(Access::read, p, bytes, SIMT_CODE);
}
void __tsan_write_range(void* p, unsigned long bytes) {
  if (watching) watching->check_range(Access::write, p, bytes, SIMT_CODE);
}

#define SIMT_UPDATE(bits, T, name, builtin)                     \
  T __tsan_atomic##bits##_##name(volatile T* p, T value, int) { \
    Hook::atomic<Access::atomic_write, bits / 8>(p, SIMT_CODE); \
    return builtin(p, value, __ATOMIC_SEQ_CST);                 \
  }
#define SIMT_EXCHANGE(bits, T, strength, weak)                                                           \
  int __tsan_atomic##bits##_compare_exchange_##strength(volatile T* p, T* expected, T value, int, int) { \
    Hook::atomic<Access::atomic_write, bits / 8>(p, SIMT_CODE);                                          \
    return __atomic_compare_exchange_n(p, expected, value, weak, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);    \
  }
#define SIMT_ATOMICS(bits, T)                                     \
  T __tsan_atomic##bits##_load(const volatile T* p, int) {        \
    Hook::atomic<Access::atomic_read, bits / 8>(p, SIMT_CODE);    \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                  \
  }                                                               \
  void __tsan_atomic##bits##_store(volatile T* p, T value, int) { \
    Hook::atomic<Access::atomic_store, bits / 8>(p, SIMT_CODE);   \
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                 \
  }                                                               \
  SIMT_UPDATE(bits, T, exchange, __atomic_exchange_n)             \
  SIMT_UPDATE(bits, T, fetch_add, __atomic_fetch_add)             \
  SIMT_UPDATE(bits, T, fetch_sub, __atomic_fetch_sub)             \
  SIMT_UPDATE(bits, T, fetch_and, __atomic_fetch_and)             \
  SIMT_UPDATE(bits, T, fetch_or, __atomic_fetch_or)               \
  SIMT_UPDATE(bits, T, fetch_xor, __atomic_fetch_xor)             \
  SIMT_EXCHANGE(bits, T, strong, false)                           \
  SIMT_EXCHANGE(bits, T, weak, true)
SIMT_ATOMICS(8, std::uint8_t)
SIMT_ATOMICS(16, std::uint16_t)
SIMT_ATOMICS(32, std::uint32_t)
SIMT_ATOMICS(64, std::uint64_t)
#undef SIMT_ATOMICS
#undef SIMT_EXCHANGE
#undef SIMT_UPDATE

void __ubsan_handle_type_mismatch_v1(TypeMismatch* data, std::uintptr_t address) {
  constexpr unsigned char kStore = 1;
  if (watching)
    watching->misaligned(data->kind == kStore, reinterpret_cast<const void*>(address), std::size_t{1} << data->log_alignment,
                         data->type->name, SIMT_CODE);
}

void __ubsan_handle_out_of_bounds(OutOfBounds* data, std::uintptr_t index) {
  const unsigned bits = 1u << (data->index->info >> 1);
  const bool is_signed = data->index->info & 1;
  const auto wide = static_cast<std::int64_t>(index);
  const std::int64_t value =
      is_signed && bits < 64 ? static_cast<std::int64_t>(static_cast<std::uint64_t>(wide) << (64 - bits)) >> (64 - bits) : wide;
  if (watching) watching->index_out_of_bounds(data->array->name, value, data->place.file, data->place.line, SIMT_CODE);
}

}  // extern "C"
#undef SIMT_CODE
