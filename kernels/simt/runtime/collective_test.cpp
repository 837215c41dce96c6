#include <numeric>

#include "kernels/simt/runtime/test_device.hpp"

namespace simt {
namespace {

constexpr unsigned kAll = 0xffffffffu;

__global__ void shuffles(int* out) {
  const int lane = static_cast<int>(threadIdx.x), value = lane * 10;
  out[lane] = __shfl_sync(kAll, value, 5);
  out[32 + lane] = __shfl_up_sync(kAll, value, 3, 8);
  out[64 + lane] = __shfl_down_sync(kAll, value, 2, 16);
  out[96 + lane] = __shfl_xor_sync(kAll, value, 9);
  out[128 + lane] = __shfl_sync(kAll, value, 37, 4);
  out[160 + lane] = __shfl_xor_sync(kAll, value, 16, 8);
}

__global__ void wide_shuffle(double* out) { out[threadIdx.x] = __shfl_xor_sync(kAll, 0.5 + threadIdx.x, 31); }

__global__ void half_shuffle(float* out) {
  out[threadIdx.x] = __bfloat162float(__shfl_down_sync(kAll, __float2bfloat16(static_cast<float>(threadIdx.x)), 1));
}

__global__ void votes(unsigned* out) {
  const int lane = static_cast<int>(threadIdx.x);
  out[lane] = __ballot_sync(kAll, lane % 3 == 0);
  out[32 + lane] = static_cast<unsigned>(__any_sync(kAll, lane == 7)) * 2 + static_cast<unsigned>(__all_sync(kAll, lane != 7));
  out[64 + lane] = __match_any_sync(kAll, lane / 8);
  int same = -1;
  out[96 + lane] = __match_all_sync(kAll, lane < 40 ? 1 : 0, &same) + static_cast<unsigned>(same);
}

__global__ void reductions(int* out) {
  const int lane = static_cast<int>(threadIdx.x);
  if (lane >= 20) return;
  const unsigned mask = (1u << 20) - 1;
  out[lane * 6] = __reduce_add_sync(mask, lane - 3);
  out[lane * 6 + 1] = __reduce_min_sync(mask, lane - 3);
  out[lane * 6 + 2] = static_cast<int>(__reduce_max_sync(mask, 1u << lane));
  out[lane * 6 + 3] = static_cast<int>(__reduce_and_sync(mask, ~(1u << lane)));
  out[lane * 6 + 4] = static_cast<int>(__reduce_or_sync(mask, 1u << lane));
  out[lane * 6 + 5] = static_cast<int>(__reduce_xor_sync(mask, static_cast<unsigned>(lane)));
}

// Every lane meets the lanes of its own part many times, so that parts run far ahead of each other.
__global__ void parts(const unsigned* masks, unsigned* out, int rounds) {
  const unsigned lane = threadIdx.x, mask = masks[lane];
  unsigned value = lane;
  for (int i = 0; i < rounds * static_cast<int>(1 + lane / 8); ++i) {
    if (i >= rounds && __popc(mask) > 1) break;
    value += __reduce_add_sync(mask, value) + static_cast<unsigned>(i);
  }
  out[lane] = value;
}

__global__ void nested(int* out) {
  const unsigned lane = threadIdx.x;
  int value = static_cast<int>(lane);
  if (lane >= 16)
    value = __shfl_xor_sync(0xffff0000u, value, 1);
  else if (lane >= 8)
    value = __shfl_xor_sync(0x0000ff00u, value, 2);
  out[lane] = __shfl_xor_sync(kAll, value, 4);
}

__global__ void partial_warp(int* out) {
  const int active = __popc(__activemask());
  out[threadIdx.x] = static_cast<int>(__reduce_add_sync(kAll, 1u)) * 100 + active;
}

__global__ void after_exit(int* out) {
  if (threadIdx.x % 2) return;
  int value = static_cast<int>(threadIdx.x);
  for (int offset = 2; offset < 32; offset *= 2) value += __shfl_xor_sync(kAll, value, offset);
  out[threadIdx.x] = value;
}

__global__ void reads_outside_mask(int* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = __shfl_xor_sync(0x0000ffffu, 1, 16);
}

__global__ void reads_exited(int* out) {
  if (threadIdx.x == 3) return;
  out[threadIdx.x] = __shfl_sync(kAll, 1, 3);
}

__global__ void not_in_mask(int* out) { out[threadIdx.x] = __shfl_sync(0x0000ffffu, 1, 3); }

__global__ void other_call(int* out) {
  if (threadIdx.x < 16)
    out[threadIdx.x] = __shfl_sync(kAll, 1, 3);
  else
    out[threadIdx.x] = __any_sync(kAll, 1);
}

__global__ void absent_lanes(int* out) {
  if (threadIdx.x >= 16)
    out[threadIdx.x] = __shfl_sync(kAll, 1, 20);
  else
    __syncthreads();
}

using CollectiveTest = Emulator;

TEST_F(CollectiveTest, ShufflesReadTheLaneTheyName) {
  DeviceVector<int> out(192);
  ASSERT_EQ(assay::launch(shuffles, 1, 32, 0, nullptr, out.data()), cudaSuccess) << last_report();
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(out[lane], 50);
    EXPECT_EQ(out[32 + lane], 10 * (lane % 8 < 3 ? lane : lane - 3));
    EXPECT_EQ(out[64 + lane], 10 * (lane % 16 > 13 ? lane : lane + 2));
    EXPECT_EQ(out[96 + lane], 10 * (lane ^ 9));
    EXPECT_EQ(out[128 + lane], 10 * (lane / 4 * 4 + 1));
    EXPECT_EQ(out[160 + lane], 10 * (lane % 32 < 16 ? lane : lane ^ 16));
  }
}

TEST_F(CollectiveTest, ShufflesMoveEveryTypeUpToEightBytes) {
  DeviceVector<double> wide(32);
  DeviceVector<float> narrow(32);
  ASSERT_EQ(assay::launch(wide_shuffle, 1, 32, 0, nullptr, wide.data()), cudaSuccess) << last_report();
  ASSERT_EQ(assay::launch(half_shuffle, 1, 32, 0, nullptr, narrow.data()), cudaSuccess) << last_report();
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(wide[lane], 31.5 - lane);
    EXPECT_EQ(narrow[lane], lane == 31 ? 31.0f : static_cast<float>(lane + 1));
  }
}

TEST_F(CollectiveTest, VotesAndMatchesSeeEveryLane) {
  DeviceVector<unsigned> out(128);
  ASSERT_EQ(assay::launch(votes, 1, 32, 0, nullptr, out.data()), cudaSuccess) << last_report();
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(out[lane], 0x49249249u);
    EXPECT_EQ(out[32 + lane], 2u);
    EXPECT_EQ(out[64 + lane], 0xffu << (lane / 8 * 8));
    EXPECT_EQ(out[96 + lane], kAll + 1u);
  }
}

TEST_F(CollectiveTest, ReductionsTakeTheLanesOfTheMask) {
  DeviceVector<int> out(120);
  ASSERT_EQ(assay::launch(reductions, 1, 32, 0, nullptr, out.data()), cudaSuccess) << last_report();
  for (int lane = 0; lane < 20; ++lane) {
    EXPECT_EQ(out[lane * 6], 130);
    EXPECT_EQ(out[lane * 6 + 1], -3);
    EXPECT_EQ(out[lane * 6 + 2], 1 << 19);
    EXPECT_EQ(out[lane * 6 + 3], static_cast<int>(0xfff00000u));
    EXPECT_EQ(out[lane * 6 + 4], 0xfffff);
    EXPECT_EQ(out[lane * 6 + 5], 0);
  }
}

std::vector<unsigned> partition(std::uint64_t seed) {
  std::vector<unsigned> part(32), masks(32, 0), result(32);
  const unsigned parts = 1 + static_cast<unsigned>(seed % 32);
  for (unsigned lane = 0; lane < 32; ++lane) part[lane] = static_cast<unsigned>((seed * 2654435761u + lane * 40503u) >> 7) % parts;
  for (unsigned lane = 0; lane < 32; ++lane) masks[part[lane]] |= 1u << lane;
  for (unsigned lane = 0; lane < 32; ++lane) result[lane] = masks[part[lane]];
  return result;
}

std::vector<unsigned> expected_parts(const std::vector<unsigned>& masks, int rounds) {
  std::vector<unsigned> value(32);
  std::iota(value.begin(), value.end(), 0u);
  for (int i = 0; i < rounds * 4; ++i) {
    std::vector<unsigned> next = value;
    for (unsigned lane = 0; lane < 32; ++lane) {
      if (i >= rounds * static_cast<int>(1 + lane / 8) || (i >= rounds && __popc(masks[lane]) > 1)) continue;
      unsigned sum = 0;
      for (unsigned other = 0; other < 32; ++other) sum += masks[lane] >> other & 1 ? value[other] : 0;
      next[lane] += sum + static_cast<unsigned>(i);
    }
    value = next;
  }
  return value;
}

TEST_F(CollectiveTest, DisjointMasksDoNotDisturbEachOther) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    configure({.workers = 1, .schedule_seed = seed % 3 ? seed : 0});
    const std::vector<unsigned> masks = partition(seed);
    DeviceVector<unsigned> device_masks(masks), out(32);
    ASSERT_EQ(assay::launch(parts, 1, 32, 0, nullptr, device_masks.data(), out.data(), 7), cudaSuccess) << last_report();
    ASSERT_EQ(out.host(), expected_parts(masks, 7)) << seed;
  }
}

TEST_F(CollectiveTest, LanesMayMeetUnderSmallerMasksBeforeTheLargerOne) {
  DeviceVector<int> out(32);
  ASSERT_EQ(assay::launch(nested, 1, 32, 0, nullptr, out.data()), cudaSuccess) << last_report();
  const auto moved = [](int lane) { return lane >= 16 ? lane ^ 1 : lane >= 8 ? lane ^ 2 : lane; };
  for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(out[lane], moved(lane ^ 4));
}

TEST_F(CollectiveTest, ThePartialLastWarpMeetsUnderTheFullMask) {
  DeviceVector<int> out(45);
  ASSERT_EQ(assay::launch(partial_warp, 1, 45, 0, nullptr, out.data()), cudaSuccess) << last_report();
  EXPECT_EQ(out[0], 3232);
  EXPECT_EQ(out[44], 1313);
}

TEST_F(CollectiveTest, ExitedLanesAreNotWaitedFor) {
  DeviceVector<int> out(32);
  ASSERT_EQ(assay::launch(after_exit, 1, 32, 0, nullptr, out.data()), cudaSuccess) << last_report();
  EXPECT_EQ(out[0], 240);
  EXPECT_EQ(out[30], 240);
}

TEST_F(CollectiveTest, AShuffleFromALaneOutsideTheMaskIsReported) {
  DeviceVector<int> out(32);
  EXPECT_EQ(assay::launch(reads_outside_mask, 1, 32, 0, nullptr, out.data()), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported({"reads_outside_mask", "block (0,0,0)", "thread (15,0,0)", "collective_test.cpp:", "not in the mask"}));
}

TEST_F(CollectiveTest, AShuffleFromAnExitedLaneIsReported) {
  DeviceVector<int> out(32);
  EXPECT_EQ(assay::launch(reads_exited, 1, 32, 0, nullptr, out.data()), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported({"reads lane 3", "has exited"}));
}

TEST_F(CollectiveTest, ACallerOutsideItsOwnMaskIsReported) {
  DeviceVector<int> out(32);
  EXPECT_EQ(assay::launch(not_in_mask, 1, 32, 0, nullptr, out.data()), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported({"lane 16", "__shfl_sync", "0000ffff", "does not hold it"}));
}

TEST_F(CollectiveTest, DifferentCallsUnderOneMaskAreReported) {
  DeviceVector<int> out(32);
  EXPECT_EQ(assay::launch(other_call, 1, 32, 0, nullptr, out.data()), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported({"thread (16,0,0)", "__any_sync", "wait in __shfl_sync", "same call"}));
}

TEST_F(CollectiveTest, AMaskWhoseLanesNeverComeIsReported) {
  DeviceVector<int> out(32);
  EXPECT_EQ(assay::launch(absent_lanes, 1, 32, 0, nullptr, out.data()), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported({"no thread of the block can go on", "16 threads wait (first (16,0,0)) in __shfl_sync", "at the barrier of"}));
}

}  // namespace
}  // namespace simt
