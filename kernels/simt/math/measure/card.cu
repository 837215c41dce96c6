#include <cstdio>
#include <cstdlib>

#include "kernels/simt/math/measure/card.hpp"
#include "kernels/simt/math/measure/functions.hpp"

namespace simt::measure {
namespace {

void require(cudaError_t error, const char* action) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "assay: %s: %s\n", action, cudaGetErrorString(error));
  std::exit(2);
}

// Words of device memory, zero at first.
template <class Word>
class DeviceWords {
 public:
  explicit DeviceWords(std::size_t count) : count_(count) {
    require(cudaMalloc(&words_, count * sizeof(Word)), "allocating device memory");
    require(cudaMemset(words_, 0, count * sizeof(Word)), "clearing device memory");
  }
  ~DeviceWords() { cudaFree(words_); }
  DeviceWords(const DeviceWords&) = delete;
  DeviceWords& operator=(const DeviceWords&) = delete;

  Word* data() { return words_; }
  std::vector<Word> host() const {
    std::vector<Word> copy(count_);
    require(cudaGetLastError(), "starting a kernel");
    require(cudaMemcpy(copy.data(), words_, count_ * sizeof(Word), cudaMemcpyDeviceToHost), "running a kernel");
    return copy;
  }

 private:
  Word* words_ = nullptr;
  std::size_t count_;
};

constexpr unsigned kThreads = 256;

// One thread an argument; `count` is a multiple of kThreads.
__global__ void evaluate(Instruction instruction, std::uint32_t first, std::uint32_t* bits) {
  const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  const float x = __uint_as_float(first + i);
  float result = 0;
  switch (instruction) {
    case Instruction::ex2: result = ex2_ftz(x); break;
    case Instruction::rcp: result = rcp_ftz(x); break;
    case Instruction::rsqrt: result = rsqrt_ftz(x); break;
    case Instruction::lg2: result = lg2_ftz(x); break;
  }
  bits[i] = __float_as_uint(result);
}

// One CUDA block a block of arguments.
template <class Function>
__global__ void hash(std::uint64_t* block_hashes) {
  __shared__ unsigned long long sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  unsigned long long own = 0;
  for (std::uint32_t i = threadIdx.x; i < kBlockSize; i += kThreads) {
    const std::uint32_t argument = blockIdx.x * kBlockSize + i;
    own += hash_term(argument, Function::at(__uint_as_float(argument)));
  }
  atomicAdd(&sum, own);
  __syncthreads();
  if (threadIdx.x == 0) block_hashes[blockIdx.x] = sum;
}

#define SIMT_FUNCTION(name, expression)                        \
  struct name##_at {                                           \
    static __device__ float at(float x) { return expression; } \
  };
SIMT_MODELLED_FUNCTIONS(SIMT_FUNCTION)
SIMT_CARD_FUNCTIONS(SIMT_FUNCTION)
#undef SIMT_FUNCTION

#define SIMT_HASHED(name, expression) {#name, [](std::uint64_t* hashes) { hash<name##_at><<<kBlocks, kThreads>>>(hashes); }},
const Hashed kHashed[] = {SIMT_MODELLED_FUNCTIONS(SIMT_HASHED) SIMT_CARD_FUNCTIONS(SIMT_HASHED)};
#undef SIMT_HASHED

}  // namespace

Card card() {
  cudaDeviceProp properties{};
  require(cudaGetDeviceProperties(&properties, 0), "looking for a GPU");
  return {properties.name, "sm_" + std::to_string(properties.major) + std::to_string(properties.minor),
          "CUDA " + std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10)};
}

std::vector<std::uint32_t> results(Instruction instruction, std::uint32_t first, std::size_t count) {
  DeviceWords<std::uint32_t> bits(count);
  evaluate<<<static_cast<unsigned>(count / kThreads), kThreads>>>(instruction, first, bits.data());
  return bits.host();
}

std::span<const Hashed> hashed_functions() { return kHashed; }

std::vector<std::uint64_t> block_hashes(const Hashed& function) {
  DeviceWords<std::uint64_t> hashes(kBlocks);
  function.launch(hashes.data());
  return hashes.host();
}

}  // namespace simt::measure
