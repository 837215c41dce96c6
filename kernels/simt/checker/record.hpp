// Who touched a word of memory, and when: 64 bits.
#pragma once

#include <cstdint>

namespace simt {

// How many readers a record stands for: one, several of a warp, of a block, of several blocks.
enum class Crowd : std::uint8_t { one, warp, block, grid };

struct Record {
  static constexpr unsigned kMaskBits = 4, kFlagBits = 2, kRankBits = 10, kClockBits = 22, kOrdinalBits = 26;
  static constexpr unsigned kRankAt = kMaskBits + kFlagBits, kClockAt = kRankAt + kRankBits, kOrdinalAt = kClockAt + kClockBits;
  static constexpr std::uint32_t kLastClock = (1u << kClockBits) - 1;
  static constexpr std::uint64_t kLastOrdinal = (1u << kOrdinalBits) - 1;

  std::uint64_t bits = 0;

  static Record of(std::uint64_t ordinal, std::uint32_t clock, unsigned rank) {
    return {ordinal << kOrdinalAt | std::uint64_t{clock} << kClockAt | std::uint64_t{rank} << kRankAt};
  }
  Record with(unsigned mask, unsigned flag = 0) const { return {(bits & ~std::uint64_t{63}) | flag << kMaskBits | mask}; }

  unsigned mask() const { return bits & 15; }  // bytes of the word
  unsigned flag() const { return bits >> kMaskBits & 3; }
  Crowd crowd() const { return static_cast<Crowd>(flag()); }  // of a reader
  bool atomic() const { return flag() != 0; }                 // of a writer
  unsigned rank() const { return bits >> kRankAt & 1023; }
  unsigned warp() const { return rank() / 32; }
  std::uint32_t clock() const { return bits >> kClockAt & kLastClock; }
  std::uint64_t ordinal() const { return bits >> kOrdinalAt; }

  // Same thread of the same block at the same time; the same thread at any time.
  bool same_moment(Record other) const { return (bits ^ other.bits) >> kRankAt == 0; }
  bool same_thread(Record other) const { return ordinal() == other.ordinal() && rank() == other.rank(); }
};

// The last write to four bytes, and the reads since.
struct Cell {
  std::uint64_t writer;
  std::uint64_t reader;
};

// Workers share cells: whole words, in any order.
inline Record load(const std::uint64_t& word) { return {__atomic_load_n(&word, __ATOMIC_RELAXED)}; }
inline void store(std::uint64_t& word, Record record) { __atomic_store_n(&word, record.bits, __ATOMIC_RELAXED); }

}  // namespace simt
