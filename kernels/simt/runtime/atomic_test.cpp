#include <algorithm>

#include "kernels/simt/runtime/test_device.hpp"

namespace simt {
namespace {

__global__ void adds(int* ints, unsigned* words, unsigned long long* longs, float* floats, double* doubles) {
  atomicAdd(ints, static_cast<int>(threadIdx.x));
  atomicAdd(words, 0x10000u * blockIdx.x);
  atomicAdd(longs, 1ull << 33);
  atomicAdd(floats, 0.5f);
  atomicAdd(doubles, 0.25);
}

// Each thread adds to the pair of its parity, and remembers what it found in the first ones.
__global__ void adds_pairs(__half2* halves, __nv_bfloat162* bfloats, float* found) {
  const unsigned i = threadIdx.x % 2;
  const __half2 old = atomicAdd(halves + i, __floats2half2_rn(0.5f, -1.0f));
  atomicAdd(bfloats + i, __floats2bfloat162_rn(-0.25f, 1.0f));
  if (i == 0) found[threadIdx.x / 2] = __low2float(old);
}

__global__ void adds_one(__half2* pair) { atomicAdd(pair, __floats2half2_rn(1.0f, 1.0f)); }

__global__ void extremes(int* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  atomicMin(out, -i);
  atomicMax(out + 1, i);
  atomicOr(out + 2, 1 << (i % 20));
  atomicAnd(out + 3, ~(1 << (i % 20)));
  atomicXor(out + 4, 1 << (i % 20));
}

__global__ void tickets(unsigned* counter, unsigned* owner) { owner[atomicInc(counter, 999)] = blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void own_add(float* sum) {
  auto* word = reinterpret_cast<unsigned*>(sum);
  unsigned seen = *word, assumed;
  do {
    assumed = seen;
    seen = atomicCAS(word, assumed, __float_as_uint(__uint_as_float(assumed) + 1.0f));
  } while (seen != assumed);
}

__global__ void locked(int* lock, int* counter) {
  if (threadIdx.x) return;
  while (atomicCAS(lock, 0, 1)) {
  }
  *counter = *counter + 1;
  __threadfence();
  atomicExch(lock, 0);
}

__global__ void lock_within_a_warp(int* lock, int* counter) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      ++*counter;
      atomicExch(lock, 0);
      done = true;
    }
  }
}

class AtomicTest : public Emulator, public testing::WithParamInterface<int> {
 protected:
  void SetUp() override { configure({.workers = GetParam()}); }
};

TEST_P(AtomicTest, AdditionsOfAllTypesLoseNothing) {
  DeviceVector<int> ints(1);
  DeviceVector<unsigned> words(1);
  DeviceVector<unsigned long long> longs(1);
  DeviceVector<float> floats(1);
  DeviceVector<double> doubles(1);
  ASSERT_EQ(assay::launch(adds, 20, 100, 0, nullptr, ints.data(), words.data(), longs.data(), floats.data(), doubles.data()), cudaSuccess);
  EXPECT_EQ(ints[0], 20 * 4950);
  EXPECT_EQ(words[0], 0x10000u * 190 * 100);
  EXPECT_EQ(longs[0], 2000ull << 33);
  EXPECT_EQ(floats[0], 1000.0f);
  EXPECT_EQ(doubles[0], 500.0);
}

TEST_P(AtomicTest, AdditionsOfPairsLoseNothing) {
  DeviceVector<__half2> halves(2);
  DeviceVector<__nv_bfloat162> bfloats(2);
  DeviceVector<float> found(100);
  ASSERT_EQ(assay::launch(adds_pairs, 1, 200, 0, nullptr, halves.data(), bfloats.data(), found.data()), cudaSuccess);
  for (std::size_t i = 0; i < 2; ++i) {
    const __half2 pair = halves.host().at(i);
    EXPECT_EQ(__low2float(pair), 50.0f);
    EXPECT_EQ(__high2float(pair), -100.0f);
    EXPECT_EQ(__low2float(bfloats.host().at(i)), -25.0f);
    EXPECT_EQ(__high2float(bfloats.host().at(i)), 100.0f);
  }
  std::vector<float> old = found.host();
  std::ranges::sort(old);
  for (std::size_t i = 0; i < old.size(); ++i) EXPECT_EQ(old[i], 0.5f * static_cast<float>(i));
}

TEST_P(AtomicTest, EveryAdditionToAPairRounds) {
  DeviceVector<__half2> pair(std::vector{__floats2half2_rn(2048.0f, 2050.0f)});
  ASSERT_EQ(assay::launch(adds_one, 4, 32, 0, nullptr, pair.data()), cudaSuccess);
  EXPECT_EQ(__low2float(pair[0]), 2048.0f);  // 2049 is a tie, to even
  EXPECT_EQ(__high2float(pair[0]), 2052.0f);
}

TEST_P(AtomicTest, ExtremesAndBits) {
  DeviceVector<int> out(std::vector<int>{0, 0, 0, -1, 0});
  ASSERT_EQ(assay::launch(extremes, 10, 100, 0, nullptr, out.data()), cudaSuccess);
  EXPECT_EQ(out.host(), (std::vector<int>{-999, 999, 0xfffff, static_cast<int>(0xfff00000u), 0}));
}

TEST_P(AtomicTest, TicketsAreDistinct) {
  DeviceVector<unsigned> counter(1), owner(1000, 0xffffffffu);
  ASSERT_EQ(assay::launch(tickets, 10, 100, 0, nullptr, counter.data(), owner.data()), cudaSuccess);
  EXPECT_EQ(counter[0], 0u);
  std::vector<int> seen(1000);
  for (unsigned thread : owner.host()) ++seen.at(thread);
  EXPECT_EQ(seen, std::vector<int>(1000, 1));
}

TEST_P(AtomicTest, CompareAndSwapLoops) {
  DeviceVector<float> sum(1);
  ASSERT_EQ(assay::launch(own_add, 10, 100, 0, nullptr, sum.data()), cudaSuccess);
  EXPECT_EQ(sum[0], 1000.0f);
}

TEST_P(AtomicTest, SpinLocksBetweenBlocks) {
  DeviceVector<int> lock(1), counter(1);
  ASSERT_EQ(assay::launch(locked, 50, 32, 0, nullptr, lock.data(), counter.data()), cudaSuccess) << last_report();
  EXPECT_EQ(counter[0], 50);
}

TEST_P(AtomicTest, SpinLocksWithinAWarp) {
  DeviceVector<int> lock(1), counter(1);
  ASSERT_EQ(assay::launch(lock_within_a_warp, 4, 64, 0, nullptr, lock.data(), counter.data()), cudaSuccess) << last_report();
  EXPECT_EQ(counter[0], 256);
}

INSTANTIATE_TEST_SUITE_P(Workers, AtomicTest, testing::Values(1, 2, 4));

}  // namespace
}  // namespace simt
