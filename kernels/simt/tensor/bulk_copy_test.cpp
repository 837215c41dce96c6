#include "kernels/ptx.h"
#include "kernels/simt/tensor/shared_image.hpp"
#include "kernels/simt/runtime/test_device.hpp"

namespace simt {
namespace {

using assay::Swizzle;

__device__ unsigned char* aligned(unsigned char* shared) {
  return reinterpret_cast<unsigned char*>((reinterpret_cast<std::uintptr_t>(shared) + 1023) / 1024 * 1024);
}

// The box from (x, y) on, as it lies in shared memory.
__global__ void loads(const __grid_constant__ assay::TensorMap map, unsigned char* out, int bytes, int x, int y, bool waits) {
  ASSAY_DYNAMIC_SHARED(unsigned char, dynamic);
  __shared__ std::uint64_t full;
  unsigned char* tile = aligned(dynamic);
  for (int i = static_cast<int>(threadIdx.x); i < bytes; i += static_cast<int>(blockDim.x)) tile[i] = 99;
  if (threadIdx.x == 0) {
    assay::mbarrier_init(&full, 1);
    assay::mbarrier_fence_init();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    assay::mbarrier_arrive_expect_tx(&full, static_cast<unsigned>(bytes));
    assay::load_box(tile, map, &full, x, y);
  }
  if (waits) assay::mbarrier_wait(&full, 0);
  for (int i = static_cast<int>(threadIdx.x); i < bytes; i += static_cast<int>(blockDim.x)) out[i] = tile[i];
}

class BulkCopyTest : public Emulator {
 protected:
  static constexpr int kWidth = 100, kHeight = 40, kRowBytes = 256;
  BulkCopyTest() : source_(kHeight * kRowBytes) {
    for (int i = 0; i < kHeight * kRowBytes; ++i) source_[static_cast<std::size_t>(i)] = static_cast<unsigned char>(i * 37 % 251);
  }
  // Byte `byte` of the box's row.
  unsigned char expected(int x, int y, int row, int byte) {
    const int at = x * 2 + byte, line = y + row;
    return at < 0 || at >= kWidth * 2 || line < 0 || line >= kHeight ? 0 : source_[static_cast<std::size_t>(line * kRowBytes + at)];
  }
  int differences(Swizzle swizzle, int width_bytes, int x, int y) {
    const int rows = 24, bytes = rows * width_bytes;
    assay::TensorMap map;
    EXPECT_EQ(assay::make_tensor_map<std::uint16_t>(&map, source_.data(), kWidth, kHeight, kRowBytes,
                                                    static_cast<unsigned>(width_bytes / 2), rows, swizzle),
              cudaSuccess);
    DeviceVector<unsigned char> out(static_cast<std::size_t>(bytes));
    EXPECT_EQ(assay::launch(loads, 1, 64, 8192, nullptr, map, out.data(), bytes, x, y, true), cudaSuccess) << last_report();
    const tensor::SharedImage layout{swizzle == Swizzle::none ? 16 : width_bytes, rows, 1, false};
    int differ = 0;
    for (int row = 0; row < rows; ++row)
      for (int byte = 0; byte < width_bytes; ++byte)
        differ +=
            out[static_cast<std::size_t>(row * width_bytes + layout.chunk(row, byte / 16) * 16 + byte % 16)] != expected(x, y, row, byte);
    return differ;
  }
  DeviceVector<unsigned char> source_;
};

TEST_F(BulkCopyTest, BoxesArriveWithEverySwizzle) {
  EXPECT_EQ(differences(Swizzle::none, 64, 0, 0), 0);
  EXPECT_EQ(differences(Swizzle::bytes32, 32, 16, 8), 0);
  EXPECT_EQ(differences(Swizzle::bytes64, 64, 8, 3), 0);
  EXPECT_EQ(differences(Swizzle::bytes128, 128, 32, 1), 0);
}

TEST_F(BulkCopyTest, OutsideTheMatrixAreZeros) {
  EXPECT_EQ(differences(Swizzle::bytes128, 128, 72, 30), 0);
  EXPECT_EQ(differences(Swizzle::none, 64, -8, -3), 0);
}

TEST_F(BulkCopyTest, WithoutTheWaitTheTileIsOld) {
  assay::TensorMap map;
  ASSERT_EQ(assay::make_tensor_map<std::uint16_t>(&map, source_.data(), kWidth, kHeight, kRowBytes, 8, 8, Swizzle::none), cudaSuccess);
  DeviceVector<unsigned char> out(128);
  ASSERT_EQ(assay::launch(loads, 1, 64, 8192, nullptr, map, out.data(), 128, 0, 0, false), cudaSuccess) << last_report();
  for (unsigned char byte : out.host()) EXPECT_EQ(byte, 99);
}

TEST_F(BulkCopyTest, BytesThatNeverComeAreADeadlock) {
  assay::TensorMap map;
  ASSERT_EQ(assay::make_tensor_map<std::uint16_t>(&map, source_.data(), kWidth, kHeight, kRowBytes, 8, 8, Swizzle::none), cudaSuccess);
  DeviceVector<unsigned char> out(256);
  EXPECT_EQ(assay::launch(loads, 1, 64, 8192, nullptr, map, out.data(), 256, 0, 0, true), cudaErrorLaunchFailure);
  EXPECT_FALSE(last_report().empty());
}

TEST_F(BulkCopyTest, ABoxThatStartsWithinSixteenBytesIsReported) {
  assay::TensorMap map;
  ASSERT_EQ(assay::make_tensor_map<std::uint16_t>(&map, source_.data(), kWidth, kHeight, kRowBytes, 8, 8, Swizzle::none), cudaSuccess);
  DeviceVector<unsigned char> out(128);
  EXPECT_EQ(assay::launch(loads, 1, 64, 8192, nullptr, map, out.data(), 128, 4, 0, true), cudaErrorLaunchFailure);
  EXPECT_NE(last_report().find("multiple of 16 bytes"), std::string::npos) << last_report();
}

TEST_F(BulkCopyTest, MapsOutsideTheRulesAreRefused) {
  assay::TensorMap map;
  const auto make = [&](std::uint64_t row_bytes, unsigned box_width, Swizzle swizzle) {
    return assay::make_tensor_map<std::uint16_t>(&map, source_.data(), kWidth, kHeight, row_bytes, box_width, 8, swizzle);
  };
  EXPECT_EQ(make(kRowBytes, 64, Swizzle::bytes128), cudaSuccess);
  EXPECT_EQ(make(kRowBytes, 72, Swizzle::bytes128), cudaErrorInvalidValue);
  EXPECT_EQ(make(kRowBytes, 32, Swizzle::bytes128), cudaErrorInvalidValue);
  EXPECT_EQ(make(kRowBytes, 33, Swizzle::none), cudaErrorInvalidValue);
  EXPECT_EQ(make(250, 64, Swizzle::none), cudaErrorInvalidValue);
}

// A ring of two tiles: thread 0 loads, the warpgroup multiplies by ones, round after round.
__global__ void pipeline(const __grid_constant__ assay::TensorMap map, float* out, int rounds) {
  ASSAY_DYNAMIC_SHARED(unsigned char, dynamic);
  __shared__ std::uint64_t full[2], empty[2];
  unsigned char* tiles = aligned(dynamic);
  if (threadIdx.x == 0)
    for (int i = 0; i < 2; ++i) {
      assay::mbarrier_init(&full[i], 1);
      assay::mbarrier_init(&empty[i], 128);
    }
  assay::mbarrier_fence_init();
  __syncthreads();
  using Wgmma = assay::Wgmma<__nv_bfloat16, 8>;
  Wgmma::Sums sums = {};
  const std::uint32_t ones[4] = {0x3f803f80, 0x3f803f80, 0x3f803f80, 0x3f803f80};
  if (threadIdx.x >= 128) {
    for (int round = 0; round < rounds && threadIdx.x == 128; ++round) {
      const int stage = round % 2;
      assay::mbarrier_wait(&empty[stage], static_cast<unsigned>(round / 2 + 1) % 2);
      assay::mbarrier_arrive_expect_tx(&full[stage], 256);
      assay::load_box(tiles + stage * 1024, map, &full[stage], round * 16, 0);
    }
    return;
  }
  for (int round = 0; round < rounds; ++round) {
    const int stage = round % 2;
    assay::mbarrier_wait(&full[stage], static_cast<unsigned>(round / 2) % 2);
    assay::wgmma_fence(sums);
    Wgmma::multiply(sums, ones, assay::shared_matrix<Swizzle::bytes32>(tiles + stage * 1024, 16, 256));
    assay::wgmma_commit();
    assay::wgmma_wait<0>(sums);
    assay::mbarrier_arrive(&empty[stage]);
  }
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + static_cast<unsigned>(i)] = sums[i];
}

TEST_F(BulkCopyTest, ARingOfTilesFeedsTheTensorCoreWithoutAProxyFence) {
  const int rounds = 6;
  std::vector<std::uint16_t> matrix(8 * 16 * rounds);
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = static_cast<std::uint16_t>(0x3f80 + i / (16 * rounds) * 8);  // 1 + n / 16
  DeviceVector<std::uint16_t> device(matrix);
  assay::TensorMap map;
  ASSERT_EQ(assay::make_tensor_map<std::uint16_t>(&map, device.data(), 16 * rounds, 8, 32 * rounds, 16, 8, Swizzle::bytes32), cudaSuccess);
  for (std::uint64_t seed : {0, 1, 2, 3}) {
    configure({.workers = 1, .schedule_seed = seed});
    DeviceVector<float> out(512);
    ASSERT_EQ(assay::launch(pipeline, 1, 160, 8192, nullptr, map, out.data(), rounds), cudaSuccess) << last_report();
    for (std::size_t i = 0; i < 512; ++i)
      ASSERT_EQ(out[i], static_cast<float>(16 * rounds) * (1 + static_cast<float>(i / 4 % 4 * 2 + i % 2) / 16)) << i;
  }
}

__global__ void waits_without_init(int* out) {
  __shared__ std::uint64_t barrier;
  if (threadIdx.x == 0) barrier = 0;
  __syncthreads();
  assay::mbarrier_arrive(&barrier);
  out[0] = 1;
}

TEST_F(BulkCopyTest, ABarrierThatWasNeverInitialisedIsReported) {
  DeviceVector<int> out(1);
  EXPECT_EQ(assay::launch(waits_without_init, 1, 32, 0, nullptr, out.data()), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported({"waits_without_init", "never initialised"}));
}

}  // namespace
}  // namespace simt
