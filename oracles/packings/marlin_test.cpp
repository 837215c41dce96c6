// The closed forms against what a warp needs. The independent side is the PTX ISA ("Matrix Fragments for mma.m16n8k16"): lane l holds of B,
// as two registers of two elements, row 2 (l % 4) + i + 8 r and column l / 4 for element i of register r; and of C row l / 4 + 8 r, column
// 2 (l % 4) + i. A lane loads 16 bytes of the tile; what the register arithmetic of a kernel makes of them must be those fragments.
#include "oracles/packings/marlin.hpp"

#include <array>

#include "oracles/packings/awq.hpp"
#include "oracles/packings/gptq.hpp"
#include "oracles/packings/test_packing.hpp"

namespace assay {
namespace {

uint32_t at(const std::vector<int32_t>& words, size_t i) { return static_cast<uint32_t>(words[i]); }

struct ShapeKN {
  int64_t k, n;
};
const std::vector<ShapeKN> kShapes = {{16, 64}, {32, 64}, {16, 192}, {48, 128}, {80, 320}};

// One 16-byte load a lane gives word w for the two n8 tiles of columns 16 w .. 16 w + 15. Shifting right by 4 step and masking with
// 0x000F000F gives the pair of register step % 2 of tile step / 2.
TEST(MarlinCodes, FourBitWordsHoldTheFragmentsOfTheirLane) {
  for (const ShapeKN& s : kShapes) {
    const Packing p = marlin_codes(4, s.k, s.n);
    const std::vector<uint8_t> codes = random_codes(p, 1);
    const std::vector<int32_t> words = packed(p, codes);
    size_t load = 0;
    for (int64_t kt = 0; kt < s.k; kt += 16)
      for (int64_t nt = 0; nt < s.n; nt += 64)
        for (int lane = 0; lane < 32; ++lane, load += 4)
          for (int w = 0; w < 4; ++w)
            for (int step = 0; step < 4; ++step)
              for (int i = 0; i < 2; ++i) {
                const int64_t k = kt + 2 * (lane % 4) + i + 8 * (step % 2), n = nt + 16 * w + 8 * (step / 2) + lane / 4;
                const uint32_t pair = at(words, load + static_cast<size_t>(w)) >> (4 * step) & 0x000F000F;
                ASSERT_EQ(pair >> (16 * i) & 0xFFFF, codes[static_cast<size_t>(k * s.n + n)])
                    << lane << ' ' << w << ' ' << step << ' ' << i;
              }
  }
}

// Two 16-byte loads a lane; word 2 w + t is tile t of columns 16 w .., and bytes (0, 2) and (1, 3) are the pairs of registers 0 and 1.
TEST(MarlinCodes, EightBitWordsHoldTheFragmentsOfTheirLane) {
  for (const ShapeKN& s : kShapes) {
    const Packing p = marlin_codes(8, s.k, s.n);
    const std::vector<uint8_t> codes = random_codes(p, 2);
    const std::vector<int32_t> words = packed(p, codes);
    size_t load = 0;
    for (int64_t kt = 0; kt < s.k; kt += 16)
      for (int64_t nt = 0; nt < s.n; nt += 64)
        for (int lane = 0; lane < 32; ++lane, load += 8)
          for (int w = 0; w < 4; ++w)
            for (int t = 0; t < 2; ++t)
              for (int r = 0; r < 2; ++r)
                for (int i = 0; i < 2; ++i) {
                  const int64_t k = kt + 2 * (lane % 4) + i + 8 * r, n = nt + 16 * w + 8 * t + lane / 4;
                  ASSERT_EQ(at(words, load + static_cast<size_t>(2 * w + t)) >> (8 * (r + 2 * i)) & 255,
                            codes[static_cast<size_t>(k * s.n + n)]);
                }
  }
}

TEST(MarlinCodes, AreInTheOrderOfTheDocumentedForm) {
  const Packing four = marlin_codes(4, 16, 64), eight = marlin_codes(8, 16, 64);
  for (int64_t th = 0; th < 32; ++th)
    for (int64_t wp = 0; wp < 4; ++wp) {
      const int64_t c = 16 * wp + th / 4, r = 2 * (th % 4);
      const std::array<Entry, 8> wanted = {
          {{r, c}, {r + 8, c}, {r, c + 8}, {r + 8, c + 8}, {r + 1, c}, {r + 9, c}, {r + 1, c + 8}, {r + 9, c + 8}}};
      for (int slot = 0; slot < 8; ++slot) ASSERT_EQ(four.entry({0, 4 * th + wp, 4 * slot}), wanted[static_cast<size_t>(slot)]);
      const std::array<int64_t, 4> rows = {r, r + 8, r + 1, r + 9};
      for (int slot = 0; slot < 4; ++slot)
        for (int64_t half : {0, 1})
          ASSERT_EQ(eight.entry({0, 8 * th + 2 * wp + half, 8 * slot}), (Entry{rows[static_cast<size_t>(slot)], c + 8 * half}));
    }
}

TEST(MarlinCodes, TilesFollowEachOtherAlongN) {
  const Packing p = marlin_codes(4, 48, 192);
  EXPECT_EQ(p.word_rows, 3);
  EXPECT_EQ(p.word_columns, 384);
  EXPECT_EQ(p.index(16, 64), 384 + 128);
  EXPECT_EQ(p.index(32, 128), 2 * 384 + 2 * 128);
  EXPECT_EQ(marlin_codes(8, 48, 192).word_columns, 768);
  EXPECT_EQ(marlin_codes(8, 48, 192).index(16, 64), 768 + 256);
}

TEST(MarlinCodes, KnownWords) {
  // code = k of a tile of one 16 x 64: word 0 is lane 0 and columns 0 and 8 (k = 0, 8, 0, 8, 1, 9, 1, 9); word 4 lane 1 (k = 2, 10, ...).
  std::vector<uint8_t> codes(16 * 64);
  for (size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<uint8_t>(i / 64);
  const std::vector<int32_t> words = packed(marlin_codes(4, 16, 64), codes);
  EXPECT_EQ(at(words, 0), 0x91918080u);
  EXPECT_EQ(at(words, 3), 0x91918080u);
  EXPECT_EQ(at(words, 4), 0xB3B3A2A2u);
  EXPECT_EQ(at(words, 127), 0xF7F7E6E6u);
  EXPECT_EQ(at(packed(marlin_codes(8, 16, 64), codes), 8), 0x0B030A02u);
}

// A lane applies scales to its B fragments: the columns of its l / 4 in each of the eight n8 tiles of 64, read as one run of eight.
TEST(MarlinScales, GroupedRunsAreTheColumnsOfALanesFragments) {
  const Packing p = marlin_grouped_scales(3, 192);
  for (int64_t g = 0; g < 3; ++g)
    for (int64_t first = 0; first < 192; first += 64)
      for (int64_t quad = 0; quad < 8; ++quad)
        for (int64_t tile = 0; tile < 8; ++tile) {
          EXPECT_EQ(p.entry({g, first + 8 * quad + tile}), (Entry{g, first + 8 * tile + quad}));
          EXPECT_EQ(p.place(g, first + 8 * tile + quad), (Place{g, first + 8 * quad + tile}));
        }
}

// Channelwise, a lane scales its accumulators: columns 2 (l % 4) and the next of four n8 tiles, read as one run of eight.
TEST(MarlinScales, SingleRunsAreTheColumnsOfALanesAccumulators) {
  const Packing p = marlin_single_scales(96);
  for (int64_t first = 0; first < 96; first += 32)
    for (int64_t t = 0; t < 4; ++t)
      for (int64_t tile = 0; tile < 4; ++tile)
        for (int64_t i = 0; i < 2; ++i) EXPECT_EQ(p.entry({0, first + 8 * t + 2 * tile + i}), (Entry{0, first + 8 * tile + 2 * t + i}));
}

// The tables as the checkpoint loader builds them.
TEST(MarlinScales, AreThePublishedTables) {
  const std::array<int64_t, 8> single = {0, 1, 8, 9, 16, 17, 24, 25};
  for (int64_t i = 0; i < 8; ++i)
    for (int64_t j = 0; j < 8; ++j) EXPECT_EQ(marlin_grouped_scales(1, 64).entry({0, 8 * i + j}).column, i + 8 * j);
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t j = 0; j < 8; ++j)
      EXPECT_EQ(marlin_single_scales(32).entry({0, 8 * i + j}).column, 2 * i + single[static_cast<size_t>(j)]);
}

// As the loader makes them: permute like grouped scales, interleave, pack along n.
TEST(MarlinZeros, ArePermutedInterleavedAndPackedAlongN) {
  const std::array<size_t, 8> interleave4 = {0, 2, 4, 6, 1, 3, 5, 7};
  const std::array<size_t, 4> interleave8 = {0, 2, 1, 3};
  for (const int bits : {4, 8}) {
    const Packing p = marlin_zeros(bits, 3, 192);
    const std::vector<uint8_t> zeros = random_codes(p, 3);
    const std::vector<uint8_t> permuted = packed_elements<uint8_t>(marlin_grouped_scales(3, 192), zeros);
    const size_t per_word = bits == 4 ? 8 : 4;
    std::vector<int32_t> words;
    for (size_t first = 0; first < permuted.size(); first += per_word) {
      uint32_t word = 0;
      for (size_t i = 0; i < per_word; ++i)
        word |= uint32_t{permuted[first + (bits == 4 ? interleave4[i] : interleave8[i])]} << (static_cast<size_t>(bits) * i);
      words.push_back(static_cast<int32_t>(word));
    }
    EXPECT_EQ(packed(p, zeros), words);
  }
}

// What the interleave is for: the words of a lane's eight columns, dequantised like weights, give pairs of columns that are 8 apart in
// turn.
TEST(MarlinZeros, OneMaskYieldsTheColumnsOfTwoTiles) {
  std::vector<uint8_t> zeros(64);
  for (size_t n = 0; n < 64; ++n) zeros[n] = static_cast<uint8_t>(n / 8);  // the n8 tile
  const std::vector<int32_t> words = packed(marlin_zeros(4, 1, 64), zeros);
  for (size_t quad = 0; quad < 8; ++quad)
    for (uint32_t step = 0; step < 4; ++step) EXPECT_EQ(at(words, quad) >> (4 * step) & 0x000F000F, (2 * step + 1) << 16 | 2 * step);
}

TEST(MarlinCodes, RepackingFromGptqAndFromAwqGivesTheSameTensor) {
  for (const int bits : {4, 8}) {
    const std::vector<uint8_t> codes = random_codes(gptq_codes(bits, 64, 128), 7);
    const auto gptq = packed(gptq_codes(bits, 64, 128), codes), awq = packed(awq_codes(bits, 64, 128), codes);
    const Packing marlin = marlin_codes(bits, 64, 128);
    EXPECT_EQ(packed(marlin, unpacked(gptq_codes(bits, 64, 128), gptq)), packed(marlin, unpacked(awq_codes(bits, 64, 128), awq)));
  }
}

TEST(MarlinPacking, RefusesBadShapesInOneLine) {
  EXPECT_EQ(message([] { marlin_codes(4, 24, 64); }), "marlin_codes [K = 24, N = 64]: K is not a multiple of 16");
  EXPECT_EQ(message([] { marlin_codes(4, 16, 96); }), "marlin_codes [K = 16, N = 96]: N is not a multiple of 64");
  EXPECT_EQ(message([] { marlin_codes(2, 16, 64); }), "marlin_codes: codes of 2 bits, must be 4 or 8");
  EXPECT_EQ(message([] { marlin_zeros(4, 2, 32); }), "marlin_zeros [groups = 2, N = 32]: N is not a multiple of 64");
  EXPECT_EQ(message([] { marlin_grouped_scales(2, 32); }), "marlin_grouped_scales [groups = 2, N = 32]: N is not a multiple of 64");
  EXPECT_EQ(message([] { marlin_single_scales(48); }), "marlin_single_scales [groups = 1, N = 48]: N is not a multiple of 32");
  EXPECT_EQ(message([] { marlin_codes(4, -16, 64); }), "marlin_codes [K = -16, N = 64]: no extent may be negative");
  EXPECT_THROW(marlin_codes(4, 24, 64), std::invalid_argument);
}

}  // namespace
}  // namespace assay
