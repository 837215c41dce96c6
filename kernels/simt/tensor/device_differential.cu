// Tensor-core instructions of an sm_90 device against the bit model, side by side on the device.
//
//   device_differential [--only <part of a name>] [--dots <per generator>] [--seconds <per instruction>] [--json <file>] [--list]
//
// For every instruction and generator of operands.hpp it counts the outputs that differ from dot.hpp, NaN of other bits apart, and shows
// the first with their operands; the probes of probes.hpp come first. The same with a grid one bit coarser and one bit finer must differ,
// or the data would prove nothing. Exit 0: no instruction differs and every control does; 1: one differs; 2: bad usage or no device; 3: a
// control agrees.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/simt/tensor/device_instruction.cuh"
#include "kernels/simt/tensor/operands.hpp"
#include "kernels/simt/tensor/probes.hpp"

namespace simt::tensor {
namespace {

constexpr int kThreads = 256;  // the widest accumulators need more than 128 registers a thread
constexpr int kExamples = 4;

struct Example {
  std::uint32_t found, model, addend, a[32], b[32];
};

struct Tally {
  unsigned long long differ, nan_bits;  // another value; both NaN with other bits
  unsigned examples;
  Example example[kExamples];
};

SIMT_BOTH bool is_nan(Accumulator accumulator, std::uint32_t code) { return decode(format(accumulator), code).nan; }

template <class I>
consteval Parameters row() {
  if constexpr (I::kInteger)
    return {};
  else
    return parameters(Architecture::sm_90, I::kFamily, I::kInput, I::kAccumulator);
}

// The model's answer for one output.
template <class I>
__device__ std::uint32_t model(const TileMemory& m, int at, std::uint32_t c, int finer) {
  const std::uint32_t *a = m.a + at / I::kColumns * I::kStride, *b = m.b + at % I::kColumns * I::kStride;
  const auto from_a = [a](int i) { return a[i]; };
  if constexpr (I::kInteger) {
    return integer_dot(
        I::kASigned, I::kBSigned, I::kDepth, from_a, [b](int i) { return b[i]; }, c + static_cast<std::uint32_t>(finer));
  } else {
    constexpr std::uint32_t sign = I::kScaleB < 0 ? 1u << (format(I::kInput).bits() - 1) : 0;
    constexpr Parameters exact = row<I>();
    Parameters p = exact;
    p.fraction += finer;
    return dot(
        p, I::kDepth, from_a, [b](int i) { return b[i] ^ sign; }, c);
  }
}

template <class I>
__device__ TileMemory memory(unsigned char* shared) {
  TileMemory m;
  const auto images = [](const SharedImage& image) { return I::kImages ? (image.bytes() + 1023) / 1024 * 1024 : 0; };
  constexpr SharedImage a_image = I::kAImage, b_image = I::kBImage;
  m.a_image = shared;
  m.b_image = m.a_image + images(a_image);
  m.a = reinterpret_cast<std::uint32_t*>(m.b_image + images(b_image));
  m.b = m.a + kBlockRows * I::kStride;
  m.c = m.b + I::kColumns * I::kStride;
  m.d = m.c + kBlockRows * I::kColumns;
  return m;
}

template <class I>
int memory_bytes() {
  const auto images = [](const SharedImage& image) { return I::kImages ? (image.bytes() + 1023) / 1024 * 1024 : 0; };
  return images(I::kAImage) + images(I::kBImage) + 4 * (kBlockRows * I::kStride + I::kColumns * I::kStride + 2 * kBlockRows * I::kColumns);
}

// `a` and `b` are called with (row or column, k), once for each code.
template <class I, class A, class B>
__device__ void place_operands(const TileMemory& m, A a, B b) {
  constexpr SharedImage a_image = I::kAImage, b_image = I::kBImage;
  const auto fill = [&](std::uint32_t* codes, int count, unsigned char* image, const SharedImage& layout, auto code_at) {
    for (int i = threadIdx.x; i < count; i += kThreads) {
      const int outer = i / I::kDepth, k = i % I::kDepth;
      std::uint32_t& code = codes[outer * I::kStride + k];
      code = code_at(outer, k);
      if constexpr (I::kImages) memcpy(image + layout.offset(outer, k), &code, I::kElementBytes);
    }
  };
  fill(m.a, kBlockRows * I::kDepth, m.a_image, a_image, a);
  fill(m.b, I::kColumns * I::kDepth, m.b_image, b_image, b);
}

template <class I>
__device__ void note(Tally* tally, const TileMemory& m, int at, std::uint32_t expected) {
  const std::uint32_t found = m.d[at];
  const bool both_nan = !I::kInteger && is_nan(I::kAccumulator, found) && is_nan(I::kAccumulator, expected);
  atomicAdd(both_nan ? &tally->nan_bits : &tally->differ, 1ull);
  if (both_nan) return;
  const unsigned slot = atomicAdd(&tally->examples, 1u);
  if (slot >= kExamples) return;
  Example& example = tally->example[slot];
  example.found = found;
  example.model = expected;
  example.addend = m.c[at];
  for (int i = 0; i < I::kDepth; ++i) {
    example.a[i] = m.a[at / I::kColumns * I::kStride + i];
    example.b[i] = m.b[at % I::kColumns * I::kStride + i];
  }
}

template <class I>
__global__ void __launch_bounds__(kThreads) compare(Draw draw, std::uint64_t seed, int rounds, int finer, Tally* tally) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ __align__(1024) unsigned char shared[];
  const TileMemory m = memory<I>(shared);
  Random64 random{seed ^ (static_cast<std::uint64_t>(blockIdx.x) << 40 | static_cast<std::uint64_t>(threadIdx.x) << 24)};
  random.state = random.next();
  constexpr int outputs = kBlockRows * I::kColumns;
  for (int round = 0; round < rounds; ++round) {
    const auto any = [&](int, int) { return draw_input(I::kInput, I::kInteger ? Draw::any_bits : draw, random); };
    place_operands<I>(m, any, any);
    __syncthreads();
    for (int at = threadIdx.x; at < outputs; at += kThreads)
      m.c[at] =
          draw_addend(I::kAccumulator, I::kInteger ? Draw::any_bits : draw, random, draw == Draw::cancelling ? model<I>(m, at, 0, 0) : 0);
    assay::fence_async_proxy();
    __syncthreads();
    if (threadIdx.x < kInstructionThreads) I::run(m);
    __syncthreads();
    for (int at = threadIdx.x; at < outputs; at += kThreads)
      if (const std::uint32_t expected = model<I>(m, at, m.c[at], finer); expected != m.d[at]) note<I>(tally, m, at, expected);
    __syncthreads();
  }
#endif
}

struct DeviceProbe {
  std::uint32_t a[32], b[32], addend, answer;
};

// One dot in row 0 and column 0, all other operands +0.
template <class I>
__global__ void __launch_bounds__(kThreads) answer(DeviceProbe* probe) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ __align__(1024) unsigned char shared[];
  const TileMemory m = memory<I>(shared);
  place_operands<I>(
      m, [&](int row, int k) { return row ? 0 : probe->a[k]; }, [&](int column, int k) { return column ? 0 : probe->b[k]; });
  for (int at = threadIdx.x; at < kBlockRows * I::kColumns; at += kThreads) m.c[at] = at ? 0 : probe->addend;
  assay::fence_async_proxy();
  __syncthreads();
  if (threadIdx.x < kInstructionThreads) I::run(m);
  __syncthreads();
  if (threadIdx.x == 0) probe->answer = m.d[0];
#endif
}

struct Options {
  std::string only, json = "device_differential.json";
  double dots = 2.5e8, seconds = 2;
  bool list = false;
};

struct Count {
  double dots = 0;
  unsigned long long differ = 0, nan_bits = 0;
};

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "device_differential: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(2);
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

class Bench {
 public:
  explicit Bench(const Options& options) : options_(options) {
    if (options.list) return;
    cudaDeviceProp device;
    check(cudaGetDeviceProperties(&device, 0), "no device");
    if (device.major != 9 || device.minor != 0) {
      std::fprintf(stderr, "device_differential: %s is sm_%d%d: only sm_90 has these instructions\n", device.name, device.major,
                   device.minor);
      std::exit(2);
    }
    blocks_ = 4 * device.multiProcessorCount;
    check(cudaMallocManaged(&tally_, sizeof(Tally)), "memory");
    check(cudaMallocManaged(&probe_, sizeof(DeviceProbe)), "memory");
    int driver = 0, runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    std::printf("%s, driver %d, runtime %d\n", device.name, driver, runtime);
    json_ = std::string("{\"device\": \"") + device.name + "\", \"runtime\": " + std::to_string(runtime) + ", \"instructions\": [";
  }

  template <class I>
  void run(const std::string& name) {
    if (name.find(options_.only) == std::string::npos) return;
    if (options_.list) return void(std::printf("%s\n", name.c_str()));
    const double start = now();
    check(cudaFuncSetAttribute(compare<I>, cudaFuncAttributeMaxDynamicSharedMemorySize, memory_bytes<I>()), name.c_str());
    std::printf("%-34s", name.c_str());
    json_ += std::string(first_ ? "" : ",") + "\n  {\"name\": \"" + name + "\", \"generators\": {";
    first_ = false;
    std::string examples;
    Count all;
    for (int draw = 0; draw < kDraws; ++draw) {
      const Count count = generate<I>(Draw(draw), 0, options_.dots, start + options_.seconds * (draw + 1) / kDraws);
      std::printf(" %s %llu%s", simt::tensor::name(Draw(draw)), count.differ, count.nan_bits ? "+nan" : "");
      json_ += std::string(draw ? ", \"" : "\"") + simt::tensor::name(Draw(draw)) + "\": " + json(count);
      all.dots += count.dots;
      all.differ += count.differ;
      all.nan_bits += count.nan_bits;
      examples += describe<I>(Draw(draw));
    }
    const Count coarser = control<I>(-1), finer = control<I>(1);
    const bool proves = coarser.differ && finer.differ;
    std::printf(" | %.3g dots, %llu differ, %llu NaN bits; controls %llu %llu%s; %.1f s\n%s", all.dots, all.differ, all.nan_bits,
                coarser.differ, finer.differ, proves ? "" : " (NOT TOLD APART)", now() - start, examples.c_str());
    std::fflush(stdout);
    json_ += "}, \"controls\": {\"coarser\": " + json(coarser) + ", \"finer\": " + json(finer) + "}, \"all\": " + json(all) + "}";
    differ_ = differ_ || all.differ;
    agrees_ = agrees_ || !proves;
  }

  // Answers that are not the expected ones are printed and count as differences.
  template <class I>
  void probe(const std::string& name, const std::vector<Probe>& probes) {
    if (name.find(options_.only) == std::string::npos) return;
    if (options_.list) return void(std::printf("%s\n", name.c_str()));
    check(cudaFuncSetAttribute(answer<I>, cudaFuncAttributeMaxDynamicSharedMemorySize, memory_bytes<I>()), name.c_str());
    int wrong = 0;
    for (const Probe& probe : probes) {
      *probe_ = {};
      std::copy(probe.a.begin(), probe.a.end(), probe_->a);
      std::copy(probe.b.begin(), probe.b.end(), probe_->b);
      probe_->addend = probe.addend;
      answer<I><<<1, kThreads, memory_bytes<I>()>>>(probe_);
      check(cudaGetLastError(), "launch");
      check(cudaDeviceSynchronize(), "kernel");
      if (probe_->answer == probe.answer) continue;
      ++wrong;
      std::printf("    %s, %s: found %08x, model %08x\n", name.c_str(), probe.shows, probe_->answer, probe.answer);
    }
    std::printf("%-34s %zu probes, %d answered otherwise\n", name.c_str(), probes.size(), wrong);
    json_ += std::string(first_ ? "" : ",") + "\n  {\"name\": \"" + name + "\", \"probes\": " + std::to_string(probes.size()) +
             ", \"differ\": " + std::to_string(wrong) + "}";
    first_ = false;
    differ_ = differ_ || wrong;
  }

  int finish() {
    if (options_.list) return 0;
    std::FILE* file = std::fopen(options_.json.c_str(), "w");
    if (!file || std::fprintf(file, "%s\n]}\n", json_.c_str()) < 0 || std::fclose(file)) {
      std::fprintf(stderr, "device_differential: cannot write %s\n", options_.json.c_str());
      return 2;
    }
    std::printf("%s%s\n", differ_ ? "the model differs from the device" : "the model is the device",
                agrees_ ? "; some control agrees" : "");
    return differ_ ? 1 : agrees_ ? 3 : 0;
  }

 private:
  template <class I>
  Count generate(Draw draw, int finer, double dots, double deadline) {
    std::memset(tally_, 0, sizeof(Tally));
    const double round = static_cast<double>(blocks_) * kBlockRows * I::kColumns;
    const int rounds = static_cast<int>(std::min(2e7, dots) / round) + 1;
    Count count;
    for (std::uint64_t batch = 0; count.dots < dots && (batch == 0 || now() < deadline); ++batch) {
      const std::uint64_t seed = (0xa55a + batch * 64 + static_cast<std::uint64_t>(draw)) * 0x9e3779b97f4a7c15ull;
      compare<I><<<blocks_, kThreads, memory_bytes<I>()>>>(draw, seed, rounds, finer, tally_);
      check(cudaGetLastError(), "launch");
      check(cudaDeviceSynchronize(), "kernel");
      count.dots += round * rounds;
    }
    count.differ = tally_->differ;
    count.nan_bits = tally_->nan_bits;
    return count;
  }

  // The model with another grid, over all generators.
  template <class I>
  Count control(int finer) {
    Count all;
    for (int draw = 0; draw < kDraws; ++draw) {
      const Count count = generate<I>(Draw(draw), finer, 5e6, 0);
      all.dots += count.dots;
      all.differ += count.differ;
    }
    return all;
  }

  template <class I>
  std::string describe(Draw draw) const {
    std::string text;
    char line[128];
    for (unsigned i = 0; i < tally_->examples && i < 2; ++i) {
      const Example& e = tally_->example[i];
      std::snprintf(line, sizeof line, "    %s: found %08x, model %08x, addend %08x, products", simt::tensor::name(draw), e.found, e.model,
                    e.addend);
      text += line;
      for (int k = 0; k < I::kDepth; ++k) {
        std::snprintf(line, sizeof line, " %x*%x", e.a[k], e.b[k]);
        text += line;
      }
      text += '\n';
    }
    return text;
  }

  static std::string json(const Count& count) {
    char text[128];
    std::snprintf(text, sizeof text, "{\"dots\": %.0f, \"differ\": %llu, \"nan_bits\": %llu}", count.dots, count.differ, count.nan_bits);
    return text;
  }

  Options options_;
  int blocks_ = 0;
  Tally* tally_ = nullptr;
  DeviceProbe* probe_ = nullptr;
  std::string json_;
  bool first_ = true, differ_ = false, agrees_ = false;
};

using Bf16 = __nv_bfloat16;
using Fp16 = __half;
using E4m3 = __nv_fp8_e4m3;
using E5m2 = __nv_fp8_e5m2;
using assay::Tf32;
using S8 = std::int8_t;
using U8 = std::uint8_t;

void warp_instructions(Bench& bench) {
  bench.run<WarpInstruction<Bf16, Bf16, 16, float>>("mma.sync.k16.f32.bf16");
  bench.run<WarpInstruction<Bf16, Bf16, 8, float>>("mma.sync.k8.f32.bf16");
  bench.run<WarpInstruction<Fp16, Fp16, 16, float>>("mma.sync.k16.f32.f16");
  bench.run<WarpInstruction<Fp16, Fp16, 8, float>>("mma.sync.k8.f32.f16");
  bench.run<WarpInstruction<Fp16, Fp16, 16, Fp16>>("mma.sync.k16.f16.f16");
  bench.run<WarpInstruction<Fp16, Fp16, 8, Fp16>>("mma.sync.k8.f16.f16");
  bench.run<WarpInstruction<Tf32, Tf32, 8, float>>("mma.sync.k8.f32.tf32");
  bench.run<WarpInstruction<E4m3, E4m3, 32, float>>("mma.sync.k32.f32.e4m3");
  bench.run<WarpInstruction<E5m2, E5m2, 32, float>>("mma.sync.k32.f32.e5m2");
  bench.run<WarpInstruction<E4m3, E4m3, 32, Fp16>>("mma.sync.k32.f16.e4m3");
  bench.run<WarpInstruction<E5m2, E5m2, 32, Fp16>>("mma.sync.k32.f16.e5m2");
  bench.run<WarpInstruction<S8, S8, 32, int>>("mma.sync.k32.s32.s8");
  bench.run<WarpInstruction<U8, U8, 32, int>>("mma.sync.k32.s32.u8");
  bench.run<WarpInstruction<U8, S8, 32, int>>("mma.sync.k32.s32.u8.s8");
}

// A from registers (r) or shared memory (s), the swizzle's bytes, t: both transposed.
template <class T, class Sum>
void every_size(Bench& bench, const std::string& types) {
  bench.run<WarpgroupInstruction<T, 8, Sum, true, 16>>("wgmma.n8." + types + ".r.0");
  bench.run<WarpgroupInstruction<T, 64, Sum, true, 128>>("wgmma.n64." + types + ".r.128");
  bench.run<WarpgroupInstruction<T, 128, Sum, false, 128>>("wgmma.n128." + types + ".s.128");
  bench.run<WarpgroupInstruction<T, 256, Sum, false, 64>>("wgmma.n256." + types + ".s.64");
}

void warpgroup_instructions(Bench& bench) {
  every_size<Bf16, float>(bench, "f32.bf16");
  every_size<Fp16, float>(bench, "f32.f16");
  every_size<Fp16, Fp16>(bench, "f16.f16");
  every_size<Tf32, float>(bench, "f32.tf32");
  every_size<E4m3, float>(bench, "f32.e4m3");
  every_size<E5m2, float>(bench, "f32.e5m2");
  every_size<E4m3, Fp16>(bench, "f16.e4m3");
  every_size<E5m2, Fp16>(bench, "f16.e5m2");
  every_size<S8, int>(bench, "s32.s8");
}

void layouts(Bench& bench) {
  bench.run<WarpgroupInstruction<Bf16, 64, float, false, 16>>("wgmma.n64.f32.bf16.s.0");
  bench.run<WarpgroupInstruction<Bf16, 96, float, false, 32>>("wgmma.n96.f32.bf16.s.32");
  bench.run<WarpgroupInstruction<Bf16, 192, float, false, 64>>("wgmma.n192.f32.bf16.s.64");
  bench.run<WarpgroupInstruction<Bf16, 64, float, false, 16, true>>("wgmma.n64.f32.bf16.s.0.t");
  bench.run<WarpgroupInstruction<Bf16, 64, float, false, 32, true>>("wgmma.n64.f32.bf16.s.32.t");
  bench.run<WarpgroupInstruction<Bf16, 64, float, false, 64, true>>("wgmma.n64.f32.bf16.s.64.t");
  bench.run<WarpgroupInstruction<Bf16, 128, float, false, 128, true>>("wgmma.n128.f32.bf16.s.128.t");
  bench.run<WarpgroupInstruction<Fp16, 32, float, true, 32, true>>("wgmma.n32.f32.f16.r.32.t");
  bench.run<WarpgroupInstruction<E4m3, 16, float, false, 32>>("wgmma.n16.f32.e4m3.s.32");
  bench.run<WarpgroupInstruction<Bf16, 64, float, true, 128, false, -1>>("wgmma.n64.f32.bf16.r.128.negated");
}

void probes(Bench& bench) {
  bench.probe<WarpInstruction<Bf16, Bf16, 16, float>>("probes.mma.sync.bf16", bf16_probes());
  bench.probe<WarpgroupInstruction<Bf16, 8, float, true, 16>>("probes.wgmma.bf16", bf16_probes());
  bench.probe<WarpgroupInstruction<E4m3, 8, float, true, 16>>("probes.wgmma.e4m3", e4m3_probes());
  bench.probe<WarpInstruction<E4m3, E4m3, 32, float>>("probes.mma.sync.e4m3", emulated_e4m3_probes());
}

int usage(const char* what) {
  std::fprintf(stderr, "device_differential: %s; use [--only <part of a name>] [--dots <n>] [--seconds <n>] [--json <file>] [--list]\n",
               what);
  return 2;
}

int main_of(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--list") {
      options.list = true;
      continue;
    }
    if (i + 1 == count) return usage(("no value for " + word).c_str());
    if (word == "--only")
      options.only = words[++i];
    else if (word == "--json")
      options.json = words[++i];
    else if (word == "--dots")
      options.dots = std::atof(words[++i]);
    else if (word == "--seconds")
      options.seconds = std::atof(words[++i]);
    else
      return usage(("unknown argument " + word).c_str());
  }
  Bench bench(options);
  probes(bench);
  warp_instructions(bench);
  warpgroup_instructions(bench);
  layouts(bench);
  return bench.finish();
}

}  // namespace
}  // namespace simt::tensor

int main(int count, char** words) { return simt::tensor::main_of(count, words); }
