// The toolkit's library functions as the emulator evaluates them: by the host's double functions, rounded once to float. That is within
// what the CUDA guide documents of each (1 ulp and more; here below 0.501), but it is not the library's bits, so every use is noted.
#include "kernels/simt/math/library.hpp"

#include <atomic>
#include <cmath>
#include <cstdint>
#include <iterator>

#include "kernels/simt/api.hpp"
#include "kernels/simt/math/library_names.hpp"
#include "kernels/simt/session.hpp"

namespace simt {
namespace {

#define SIMT_BITS(name) name##_bit, name##f_bit,
enum Bit : unsigned { SIMT_LIBRARY_OF_ONE(SIMT_BITS) SIMT_LIBRARY_OF_TWO(SIMT_BITS) exp2_bit, sincosf_bit, kBits };
#undef SIMT_BITS

#define SIMT_NAMES(name) #name, #name "f",
constexpr const char* kNames[] = {SIMT_LIBRARY_OF_ONE(SIMT_NAMES) SIMT_LIBRARY_OF_TWO(SIMT_NAMES) "exp2", "sincosf"};
#undef SIMT_NAMES
static_assert(std::size(kNames) == kBits && kBits <= 64);

constinit std::atomic<std::uint64_t> called{0};

// Notes a call by an emulated thread; launch functions and tests may use the C library as they like.
void note(Bit bit) {
  const std::uint64_t mask = std::uint64_t{1} << bit;
  if (current && !(called.load(std::memory_order_relaxed) & mask)) called.fetch_or(mask, std::memory_order_relaxed);
}

}  // namespace

std::vector<std::string> library_functions_called() {
  std::vector<std::string> names;
  for (unsigned bit = 0; bit < kBits; ++bit)
    if (called.load(std::memory_order_relaxed) >> bit & 1) names.emplace_back(kNames[bit]);
  return names;
}

void forget_library_calls() { called.store(0, std::memory_order_relaxed); }

}  // namespace simt

#pragma GCC visibility push(default)
extern "C" {
#define SIMT_OF_ONE(name)                         \
  double simt_##name(double x) noexcept {         \
    simt::note(simt::name##_bit);                 \
    return ::name(x);                             \
  }                                               \
  float simt_##name##f(float x) noexcept {        \
    simt::note(simt::name##f_bit);                \
    return static_cast<float>(::name(double{x})); \
  }
SIMT_LIBRARY_OF_ONE(SIMT_OF_ONE)
#undef SIMT_OF_ONE

#define SIMT_OF_TWO(name)                                    \
  double simt_##name(double x, double y) noexcept {          \
    simt::note(simt::name##_bit);                            \
    return ::name(x, y);                                     \
  }                                                          \
  float simt_##name##f(float x, float y) noexcept {          \
    simt::note(simt::name##f_bit);                           \
    return static_cast<float>(::name(double{x}, double{y})); \
  }
SIMT_LIBRARY_OF_TWO(SIMT_OF_TWO)
#undef SIMT_OF_TWO

double simt_exp2(double x) noexcept {
  simt::note(simt::exp2_bit);
  return ::exp2(x);
}

void simt_sincosf(float x, float* sine, float* cosine) noexcept {
  simt::note(simt::sincosf_bit);
  *sine = static_cast<float>(::sin(double{x}));
  *cosine = static_cast<float>(::cos(double{x}));
}
}
#pragma GCC visibility pop
