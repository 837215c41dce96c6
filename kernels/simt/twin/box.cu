// TMA: boxes as they lie in shared memory, inside the matrix, partly and wholly outside.
#include "kernels/ptx.h"
// The emulator's keywords come first.
#include "kernels/simt/tensor/shared_image.hpp"
#include "kernels/simt/twin/device_memory.hpp"

namespace simt::twin {
namespace {

using assay::Swizzle;

constexpr int kThreads = 64, kBoxRows = 24;
constexpr int kHeight = 40, kWidthBytes = 404, kRowBytes = 416;
constexpr int kRounds = 5;

// Of each round's box: x in words of 4 bytes (a multiple of 16 bytes), y. One is inside, three in part (the fourth ends within 16 bytes),
// the last not.
__host__ __device__ int start(int round, int axis) {
  constexpr int starts[kRounds][2] = {{16, 8}, {-4, -5}, {60, 30}, {100, 17}, {420, 3}};
  return starts[round][axis];
}

// One box a round, all on one barrier; after the tile's words, what test_wait says of this phase and of the one before.
__global__ void __launch_bounds__(kThreads)
    loads(const __grid_constant__ assay::TensorMap map, std::uint32_t* out, int tile_words, int elements_per_word) {
  ASSAY_DYNAMIC_SHARED(unsigned char, dynamic);
  __shared__ std::uint64_t full;
  auto* tile = reinterpret_cast<std::uint32_t*>(aligned_to_1024(dynamic));
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) {
    assay::mbarrier_init(&full, 1);
    assay::mbarrier_fence_init();
  }
  for (int round = 0; round < kRounds; ++round) {
    for (int i = thread; i < tile_words; i += kThreads) tile[i] = 0xabababab;
    assay::fence_async_proxy();
    __syncthreads();
    if (thread == 0) {
      const auto bytes = static_cast<unsigned>(4 * tile_words);
      if (round % 2) {
        assay::mbarrier_expect_tx(&full, bytes);
        assay::load_box(tile, map, &full, start(round, 0) * elements_per_word, start(round, 1));
        assay::mbarrier_arrive(&full);
      } else {
        assay::mbarrier_arrive_expect_tx(&full, bytes);
        assay::load_box(tile, map, &full, start(round, 0) * elements_per_word, start(round, 1));
      }
    }
    const auto parity = static_cast<unsigned>(round % 2);
    while (!assay::mbarrier_try_wait(&full, parity)) {
    }
    for (int i = thread; i < tile_words; i += kThreads) out[i] = tile[i];
    out += tile_words;
    out[thread] = assay::mbarrier_test_wait(&full, parity) * 2u + assay::mbarrier_test_wait(&full, 1 - parity);
    out += kThreads;
    __syncthreads();
  }
}

// Byte i of the matrix.
unsigned char byte_at(int row, int i) { return static_cast<unsigned char>(draw(3, static_cast<std::uint32_t>(row * kRowBytes + i))); }

template <class T, Swizzle kSwizzle, int kBoxBytes>
Words run() {
  constexpr int bytes = kBoxRows * kBoxBytes;
  std::vector<unsigned char> host(kHeight * kRowBytes);
  for (int i = 0; i < kHeight * kRowBytes; ++i) host[static_cast<std::size_t>(i)] = byte_at(i / kRowBytes, i % kRowBytes);
  DeviceArray<unsigned char> source(host);
  assay::TensorMap map;
  check(assay::make_tensor_map<T>(&map, source.data(), kWidthBytes / sizeof(T), kHeight, kRowBytes, kBoxBytes / sizeof(T), kBoxRows,
                                  kSwizzle),
        "make_tensor_map");
  Answer out(kRounds * (bytes / 4 + kThreads));
  check(assay::launch(loads, dim3(1), dim3(kThreads), bytes + 1024, nullptr, map, out.data(), bytes / 4, static_cast<int>(4 / sizeof(T))),
        "launch");
  return out.host();
}

template <Swizzle kSwizzle, int kBoxBytes>
Words loop() {
  constexpr int width = kSwizzle == Swizzle::none ? 16 : 256 >> static_cast<int>(kSwizzle);
  const tensor::SharedImage image{width, kBoxRows, 1, false};
  Words words;
  for (int round = 0; round < kRounds; ++round) {
    Words tile(kBoxRows * kBoxBytes / 4);
    for (int row = 0; row < kBoxRows; ++row)
      for (int i = 0; i < kBoxBytes; ++i) {
        const int at = 4 * start(round, 0) + i, line = start(round, 1) + row;
        const bool inside = at >= 0 && at < kWidthBytes && line >= 0 && line < kHeight;
        const std::uint32_t byte = inside ? byte_at(line, at) : 0;
        tile[static_cast<std::size_t>((row * kBoxBytes + image.chunk(row, i / 16) * 16 + i % 16) / 4)] |= byte << (i % 4 * 8);
      }
    words.insert(words.end(), tile.begin(), tile.end());
    words.insert(words.end(), kThreads, 2);
  }
  return words;
}

template <class T, Swizzle kSwizzle, int kBoxBytes>
Exercise exercise(const char* name) {
  return {name, run<T, kSwizzle, kBoxBytes>, loop<kSwizzle, kBoxBytes>};
}

}  // namespace

std::vector<Exercise> box_exercises() {
  return {exercise<std::uint16_t, Swizzle::none, 16>("box.none.16"),       exercise<std::uint16_t, Swizzle::none, 96>("box.none.96"),
          exercise<std::uint16_t, Swizzle::bytes32, 32>("box.32"),         exercise<std::uint16_t, Swizzle::bytes64, 64>("box.64"),
          exercise<std::uint16_t, Swizzle::bytes128, 128>("box.128"),      exercise<std::uint8_t, Swizzle::bytes128, 128>("box.128.u8"),
          exercise<std::uint32_t, Swizzle::bytes128, 128>("box.128.u32")};
}

}  // namespace simt::twin
