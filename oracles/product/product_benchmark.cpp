// What an oracle costs beside the bare FP64 product that it stands on. Every repetition times both, one after the other, and `of_bare` is
// the quotient of their medians: the machine may be shared. Memory is reused from call to call, as a tiled product does; `memory` is what
// the first call takes at its peak, in units of both operands in FP64.
#include <benchmark/benchmark.h>
#include <malloc.h>
#include <time.h>

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <fstream>
#include <random>
#include <string>

#include "oracles/formats/format.hpp"
#include "oracles/product/groups.hpp"

namespace {

using namespace assay;
using namespace assay::product;

constexpr int64_t kSize = 1024, kGroup = 128;

/// A matrix of random codes, roughly normal.
std::vector<std::byte> codes_of(Format format, int64_t rows, int64_t k, uint64_t seed) {
  std::mt19937_64 bits(seed);
  const size_t size = size_t(info(format).bits / 8);
  std::vector<std::byte> codes(size_t(rows * k) * size);
  for (size_t i = 0; i < codes.size(); i += size) {
    double sum = -6;
    for (int n = 0; n < 12; n++) sum += double(bits() >> 11) * 0x1p-53;
    const uint64_t code = encode(format, sum);
    std::copy_n(reinterpret_cast<const std::byte*>(&code), size, codes.begin() + int64_t(i));
  }
  return codes;
}

struct Operands {
  Format format;
  std::vector<std::byte> a = codes_of(format, kSize, kSize, 1), b = codes_of(format, kSize, kSize, 2);

  Panel::Decode decoder(const std::vector<std::byte>& codes) const {
    return [this, &codes](int64_t row, std::span<double> values) {
      decode(format, codes.data() + size_t(row * kSize) * size_t(info(format).bits / 8), values);
    };
  }
};

const Operands& operands(Format format) {
  static const Operands fp8{Format::e4m3fn}, bf16{Format::bf16};
  return format == Format::bf16 ? bf16 : fp8;
}

/// Of this thread's processor time: others may use the machine.
double seconds(auto&& work) {
  auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
  };
  const double start = now();
  work();
  return now() - start;
}

double median(std::vector<double> all) {
  std::ranges::nth_element(all, all.begin() + int64_t(all.size() / 2));
  return all[all.size() / 2];
}

/// The bare product, on operands that lie ready.
class Bare {
 public:
  double operator()() {
    return seconds([this] { matrix_product({a.data(), kSize, kSize}, {b.data(), kSize, kSize}, kSize, {c.data(), kSize}); });
  }

 private:
  std::vector<double> a = values(operands(Format::bf16).a), b = values(operands(Format::bf16).b), c = std::vector<double>(kSize * kSize);

  static std::vector<double> values(const std::vector<std::byte>& codes) {
    std::vector<double> decoded(codes.size() / 2);
    decode(Format::bf16, codes.data(), decoded);
    return decoded;
  }
};

/// Peak of the process's memory since the last reset, in bytes.
double peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:") {
      double kilobytes = 0;
      status >> kilobytes;
      return kilobytes * 1024;
    }
  return 0;
}

/// False where the kernel does not let a process forget its peak.
bool forget_peak() { return bool(std::ofstream("/proc/self/clear_refs") << "5" << std::flush); }

double current_memory() {
  std::ifstream status("/proc/self/statm");
  double pages = 0;
  status >> pages >> pages;
  return pages * 4096;
}

/// Times work beside the bare product; `multiply_adds` of work where they are not kSize^3.
void beside_bare(benchmark::State& state, auto&& work, double multiply_adds = double(kSize) * kSize * kSize) {
  static Bare bare;
  bare();
  malloc_trim(0);   // what earlier benchmarks freed
  const double before = current_memory();
  const bool measured = forget_peak();
  work();
  const double memory = peak_memory() - before;
  std::vector<double> of_bare, of_work;
  for (auto _ : state) {
    of_bare.push_back(bare());
    of_work.push_back(seconds(work));
    state.SetIterationTime(of_work.back());
  }
  const double per_bare = median(of_bare) / (double(kSize) * kSize * kSize), per_work = median(of_work) / multiply_adds;
  state.counters["of_bare"] = per_bare / per_work;
  state.counters["ns/multiply-add"] = 1e9 * per_work;
  if (measured) state.counters["memory"] = memory / (2.0 * kSize * kSize * sizeof(double));
  state.SetLabel(chosen_path().name);
}

void BareProduct(benchmark::State& state, size_t which) {
  if (which >= paths().size()) return state.SkipWithError("this processor has no other path");
  const Path& path = paths()[which];
  std::vector<double> a(kSize * kSize, 0.5), b(kSize * kSize, 0.25), c(kSize * kSize);
  beside_bare(state, [&] { path.fp64({a.data(), kSize, kSize}, {b.data(), kSize, kSize}, kSize, {c.data(), kSize}, false); });
}

/// Codes in, everything a bound needs out.
void Values(benchmark::State& state, Format format, Wanted wanted) {
  const Operands& o = operands(format);
  Panel a, b;
  Tile tile;
  beside_bare(state, [&] {
    a.assign(kSize, 0, kSize, o.decoder(o.a)), b.assign(kSize, 0, kSize, o.decoder(o.b));
    multiply(a, b, wanted, tile);
    benchmark::DoNotOptimize(tile.value.data());
  });
  const size_t exact = tile.radius.empty() ? tile.value.size() : size_t(std::ranges::count(tile.radius, 0.0));
  state.counters["exact"] = double(exact) / (kSize * kSize);
}

void Groups(benchmark::State& state, bool magnitude) {
  const Operands& o = operands(Format::e4m3fn);
  const auto scale = [](int64_t row, std::span<double> values) {
    for (size_t g = 0; g < values.size(); g++) values[g] = float(1 + double(row * 8 + int64_t(g)) * 1e-5);
  };
  Panel a, b, scales;
  Tile tile;
  beside_bare(state, [&] {
    a.assign(kSize, 0, kSize, o.decoder(o.a)), b.assign(kSize, 0, kSize, o.decoder(o.b));
    scales.assign(kSize / kGroup, 0, kSize, scale);
    multiply_groups({a, scales}, {b, scales}, kGroup, {.magnitude = magnitude}, tile);
    benchmark::DoNotOptimize(tile.value.data());
  });
}

/// Three loops, as anyone would write them, over `size` cubed.
template <class Real>
void Loops(benchmark::State& state, int64_t size) {
  std::vector<double> values(size_t(kSize * kSize));
  decode(Format::bf16, operands(Format::bf16).a.data(), values);
  const std::vector<Real> a(values.begin(), values.begin() + size * size), b(values.rbegin(), values.rbegin() + size * size);
  std::vector<Real> c(size_t(size * size));
  beside_bare(
      state,
      [&] {
        for (int64_t i = 0; i < size; i++)
          for (int64_t j = 0; j < size; j++) {
            Real sum = 0;
            for (int64_t k = 0; k < size; k++) sum += a[size_t(i * size + k)] * b[size_t(j * size + k)];
            c[size_t(i * size + j)] = sum;
          }
        benchmark::DoNotOptimize(c.data());
      },
      double(size) * double(size) * double(size));
}

void TripleLoop(benchmark::State& state) { Loops<double>(state, kSize); }
void QuadLoop(benchmark::State& state) { Loops<boost::multiprecision::cpp_bin_float_quad>(state, 96); }

#define TIMED UseManualTime()->Unit(benchmark::kMillisecond)

BENCHMARK_CAPTURE(BareProduct, fastest, 0)->TIMED;
BENCHMARK_CAPTURE(BareProduct, next, 1)->TIMED;
BENCHMARK_CAPTURE(Values, fp8_exact, Format::e4m3fn, Wanted{})->TIMED;
BENCHMARK_CAPTURE(Values, fp8_magnitude, Format::e4m3fn, Wanted{.magnitude = true})->TIMED;
BENCHMARK_CAPTURE(Values, fp8_magnitude_squares, Format::e4m3fn, Wanted{.magnitude = true, .squares = true})->TIMED;
BENCHMARK_CAPTURE(Values, bf16_norms, Format::bf16, Wanted{})->TIMED;
BENCHMARK_CAPTURE(Values, bf16_magnitude, Format::bf16, Wanted{.magnitude = true})->TIMED;
BENCHMARK_CAPTURE(Groups, fp8_exact, false)->TIMED;
BENCHMARK_CAPTURE(Groups, fp8_magnitude, true)->TIMED;
BENCHMARK(TripleLoop)->TIMED;
BENCHMARK(QuadLoop)->TIMED;

}  // namespace

BENCHMARK_MAIN();
