// The shims against sums written out in the order that the toolkit documents by its source, bit for bit, on floats whose order shows.
#include "kernels/launch.h"

#include <cmath>

#include "kernels/simt/runtime/test_device.hpp"
#include "kernels/simt/shims/cooperative_groups.h"
#include "kernels/simt/shims/cooperative_groups/reduce.h"
#include "kernels/simt/shims/cub/cub.cuh"

namespace simt {
namespace {

/// Values of many sizes and both signs: hardly two orders give the same sum.
std::vector<float> values(int count) {
  std::vector<float> all;
  for (int i = 0; i < count; i++) all.push_back(std::ldexp(static_cast<float>((i * 7919 + 13) % 1009 - 500), i * 5 % 23 - 11));
  return all;
}

/// Lanes 0 .. valid - 1 of a warp of up to `width`, neighbours first.
template <class Operation>
float down(std::vector<float> lanes, int width, int valid, Operation operation) {
  lanes.resize(static_cast<std::size_t>(valid));
  for (int offset = 1; offset < width; offset *= 2) {
    const std::vector<float> before = lanes;
    for (int i = 0; i + offset < valid; i++) lanes[size_t(i)] = operation(before[size_t(i)], before[size_t(i + offset)]);
  }
  return lanes[0];
}

struct Larger {
  float operator()(float a, float b) const { return a < b ? b : a; }
};

template <int kThreads>
float block_sum(const std::vector<float>& all, int valid) {
  float sum = 0;
  for (int first = 0; first < valid; first += 32) {
    const std::vector<float> lanes(all.begin() + first, all.begin() + std::min(first + 32, kThreads));
    const float warp = down(lanes, 32, std::min(valid - first, static_cast<int>(lanes.size())), Plus{});
    sum = first ? sum + warp : warp;
  }
  return sum;
}

template <int kThreads>
__global__ void block_reductions(const float* in, float* out, int valid) {
  using Reduction = cub::BlockReduce<float, kThreads>;
  __shared__ typename Reduction::TempStorage storage;
  const float sum = Reduction(storage).Sum(in[threadIdx.x]);
  __syncthreads();
  const float part = Reduction(storage).Sum(in[threadIdx.x], valid);
  __syncthreads();
  const float most = Reduction(storage).Reduce(in[threadIdx.x], Larger{}, valid);
  if (threadIdx.x == 0) out[0] = sum, out[1] = part, out[2] = most;
}

class Shims : public Emulator {};

template <int kThreads>
void expect_block_reductions() {
  const std::vector<float> all = values(kThreads);
  DeviceVector<float> in(all);
  for (int valid = 1; valid <= kThreads; valid += 13) {
    DeviceVector<float> out(3);
    ASSERT_EQ(assay::launch(block_reductions<kThreads>, 1, kThreads, 0, nullptr, in.data(), out.data(), valid), cudaSuccess) << last_report();
    EXPECT_EQ(out[0], block_sum<kThreads>(all, kThreads));
    EXPECT_EQ(out[1], block_sum<kThreads>(all, valid)) << valid;
    EXPECT_EQ(out[2], *std::max_element(all.begin(), all.begin() + valid)) << valid;
  }
}

TEST_F(Shims, BlockReduceAddsNeighboursFirstAndWarpsInOrder) {
  expect_block_reductions<32>();
  expect_block_reductions<256>();
  expect_block_reductions<100>();   // a warp of four lanes at the end
  expect_block_reductions<8>();
}

template <int kWidth>
__global__ void warp_reductions(const float* in, float* out, int valid) {
  using Reduction = cub::WarpReduce<float, kWidth>;
  __shared__ typename Reduction::TempStorage storage;
  const float sum = Reduction(storage).Sum(in[threadIdx.x]), part = Reduction(storage).Sum(in[threadIdx.x], valid);
  if (threadIdx.x % kWidth == 0) out[threadIdx.x / kWidth * 2] = sum, out[threadIdx.x / kWidth * 2 + 1] = part;
}

template <int kWidth>
void expect_warp_reductions() {
  const std::vector<float> all = values(64);
  DeviceVector<float> in(all);
  for (int valid = 1; valid <= kWidth; valid++) {
    DeviceVector<float> out(2 * 64 / kWidth);
    ASSERT_EQ(assay::launch(warp_reductions<kWidth>, 1, 64, 0, nullptr, in.data(), out.data(), valid), cudaSuccess) << last_report();
    for (int i = 0; i < 64 / kWidth; i++) {
      const std::vector<float> lanes(all.begin() + i * kWidth, all.begin() + (i + 1) * kWidth);
      EXPECT_EQ(out[size_t(2 * i)], down(lanes, kWidth, kWidth, Plus{}));
      EXPECT_EQ(out[size_t(2 * i + 1)], down(lanes, kWidth, valid, Plus{})) << valid;
    }
  }
}

TEST_F(Shims, WarpReduceOfEveryWidth) {
  expect_warp_reductions<32>();
  expect_warp_reductions<8>();
  expect_warp_reductions<2>();
}

__global__ void scans(const int* in, int* out) {
  using Scan = cub::BlockScan<int, 96>;
  __shared__ Scan::TempStorage storage;
  int inclusive, exclusive = in[threadIdx.x], total;
  Scan(storage).InclusiveSum(in[threadIdx.x], inclusive);
  __syncthreads();
  Scan(storage).ExclusiveSum(exclusive, exclusive, total);
  out[3 * threadIdx.x] = inclusive, out[3 * threadIdx.x + 1] = exclusive, out[3 * threadIdx.x + 2] = total;
}

TEST_F(Shims, BlockScanOfIntegers) {
  std::vector<int> all;
  for (int i = 0; i < 96; i++) all.push_back(i * 37 % 11 - 4);
  DeviceVector<int> in(all), out(3 * 96);
  ASSERT_EQ(assay::launch(scans, 1, 96, 0, nullptr, in.data(), out.data()), cudaSuccess) << last_report();
  int sum = 0, total = 0;
  for (int v : all) total += v;
  for (size_t i = 0; i < 96; i++) {
    EXPECT_EQ(out[3 * i + 1], sum);
    sum += all[i];
    EXPECT_EQ(out[3 * i], sum);
    EXPECT_EQ(out[3 * i + 2], total);
  }
}

__global__ void groups(const float* in, float* out, unsigned* ranks) {
  namespace cg = cooperative_groups;
  __shared__ float shared[64];
  const cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const auto four = cg::tiled_partition<4>(warp);
  const unsigned i = block.thread_rank();
  shared[i] = in[i];
  block.sync();
  const float mirrored = shared[block.size() - 1 - i];
  cg::sync(block);
  out[6 * i] = cg::reduce(warp, in[i], cg::plus<float>());
  out[6 * i + 1] = cg::reduce(four, in[i], cg::plus<float>());
  out[6 * i + 2] = cg::reduce(four, in[i], cg::greater<float>());
  out[6 * i + 3] = warp.shfl(in[i], 5) + four.shfl_down(in[i], 1);
  out[6 * i + 4] = four.shfl_up(in[i], 1) + four.shfl_xor(in[i], 3);
  out[6 * i + 5] = mirrored;
  warp.sync();
  const unsigned positive = four.ballot(in[i] > 0);
  ranks[4 * i] = warp.thread_rank() + 100 * warp.meta_group_rank(), ranks[4 * i + 1] = four.thread_rank() + 100 * four.meta_group_rank();
  ranks[4 * i + 2] = positive, ranks[4 * i + 3] = unsigned(four.any(in[i] > 0)) + 2 * unsigned(four.all(in[i] > 0));
}

float butterfly(std::vector<float> lanes, size_t own) {
  for (size_t mask = lanes.size() / 2; mask > 0; mask /= 2) {
    const std::vector<float> before = lanes;
    for (size_t i = 0; i < lanes.size(); i++) lanes[i] = before[i] + before[i ^ mask];
  }
  return lanes[own];
}

TEST_F(Shims, CooperativeGroupsOfABlockAndItsTiles) {
  const std::vector<float> all = values(64);
  DeviceVector<float> in(all), out(64 * 6);
  DeviceVector<unsigned> ranks(64 * 4);
  ASSERT_EQ(assay::launch(groups, 1, 64, 0, nullptr, in.data(), out.data(), ranks.data()), cudaSuccess) << last_report();
  for (size_t i = 0; i < 64; i++) {
    const size_t warp = i / 32 * 32, four = i / 4 * 4;
    const std::vector<float> of_warp(all.begin() + long(warp), all.begin() + long(warp) + 32);
    const std::vector<float> of_four(all.begin() + long(four), all.begin() + long(four) + 4);
    EXPECT_EQ(out[6 * i], butterfly(of_warp, i - warp));
    EXPECT_EQ(out[6 * i + 1], butterfly(of_four, i - four));
    EXPECT_EQ(out[6 * i + 2], *std::max_element(of_four.begin(), of_four.end()));
    EXPECT_EQ(out[6 * i + 3], all[warp + 5] + all[std::min(i + 1, four + 3)]);
    EXPECT_EQ(out[6 * i + 4], all[i > four ? i - 1 : i] + all[i ^ 3]);
    EXPECT_EQ(out[6 * i + 5], all[63 - i]);
    unsigned positive = 0;
    for (unsigned b = 0; b < 4; b++) positive |= unsigned(of_four[b] > 0) << b;
    EXPECT_EQ(ranks[4 * i], i % 32 + 100 * (i / 32));
    EXPECT_EQ(ranks[4 * i + 1], i % 4 + 100 * (i / 4));
    EXPECT_EQ(ranks[4 * i + 2], positive);
    EXPECT_EQ(ranks[4 * i + 3], unsigned(positive != 0) + 2 * unsigned(positive == 15));
  }
}

}  // namespace
}  // namespace simt
