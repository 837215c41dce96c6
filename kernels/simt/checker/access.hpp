// The hot part of Watch: one access of a size known when compiled. For hooks.cpp.
#pragma once

#include <cstring>

#include "kernels/simt/checker/watch.hpp"

namespace simt {

// What every byte's state must hold.
constexpr unsigned wanted(Access access) {
  return access == Access::read || access == Access::atomic_read     ? kElement | kInitialised
         : access == Access::write || access == Access::atomic_store ? kElement | kWritable
                                                                     : kElement | kInitialised | kWritable;
}

template <unsigned size>
struct States {
  using Word =
      std::conditional_t<size == 1, std::uint8_t,
                         std::conditional_t<size == 2, std::uint16_t, std::conditional_t<size == 4, std::uint32_t, std::uint64_t>>>;
  static constexpr unsigned kWords = size == 16 ? 2 : 1;

  static constexpr Word all(unsigned bits) { return static_cast<Word>(0x0101010101010101u * bits); }
  static bool hold(const std::uint8_t* state, unsigned bits) {
    Word words[kWords];
    std::memcpy(words, state, size);
    for (unsigned i = 1; i < kWords; ++i) words[0] &= words[i];
    return (words[0] & all(bits)) == all(bits);
  }
};

inline Record Watch::me() const { return Record::of(ordinal_, clock_, current->rank); }

inline Region* Watch::region_at(std::uintptr_t address) {
  if (Region* region = device_region(address)) return region;
  if (address - static_->start + kBeside < static_->bytes + 2 * kBeside) return static_.get();
  return address - dynamic_low_ < dynamic_span_ ? &dynamic_ : nullptr;
}

template <Access access, unsigned size>
[[gnu::always_inline]] inline void Watch::check_sized(const void* address, const void* code) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const Region* region = region_at(at);
  if (!region) return;
  const std::size_t offset = at - region->start;
  if (region->bytes < size || offset > region->bytes - size || !States<size>::hold(region->state() + offset, wanted(access))) [[unlikely]] {
    bad_state(access, *region, static_cast<std::ptrdiff_t>(offset), size, code);
    return;
  }
  if (writes(access)) std::memset(region->state() + offset, kElement | kInitialised | kWritable, size);
  if (!region->has_cells) return;
  if constexpr (size >= 4) {
    if (offset % 4 == 0) [[likely]] {
      for (unsigned i = 0; i < size; i += 4)
        writes(access) ? write_cell(access, *region, offset + i, 15, code) : read_cell(access, *region, offset + i, 15, code);
      return;
    }
  } else if (offset % 4 + size <= 4) {
    const unsigned mask = ((1u << size) - 1) << offset % 4;
    writes(access) ? write_cell(access, *region, offset, mask, code) : read_cell(access, *region, offset, mask, code);
    return;
  }
  races(access, *region, offset, size, code);
}

// Most words were last touched by the same thread, or in no launch that matters.
[[gnu::always_inline]] inline void Watch::write_cell(Access access, const Region& region, std::size_t offset, unsigned mask,
                                                     const void* code) {
  Cell& cell = *region.cell(offset);
  const Record writer = load(cell.writer), reader = load(cell.reader), mine = me();
  const bool atomic = is_atomic(access);
  if (writer.mask() & mask && !writer.same_thread(mine) && !(atomic && writer.atomic()) &&
      !ordered(writer, mine, region.shared(), Crowd::one)) [[unlikely]]
    race(access, region, offset, writer, true, code);
  if (reader.mask() & mask && (!reader.same_thread(mine) || reader.crowd() != Crowd::one) &&
      !ordered(reader, mine, region.shared(), reader.crowd())) [[unlikely]]
    race(access, region, offset, reader, false, code);
  const unsigned more = writer.same_moment(mine) && writer.atomic() == atomic ? writer.mask() : 0;
  store(cell.writer, mine.with(mask | more, atomic));
}

[[gnu::always_inline]] inline void Watch::read_cell(Access access, const Region& region, std::size_t offset, unsigned mask,
                                                    const void* code) {
  Cell& cell = *region.cell(offset);
  const Record writer = load(cell.writer), mine = me();
  if (writer.mask() & mask && !writer.same_thread(mine) && !(is_atomic(access) && writer.atomic()) &&
      !ordered(writer, mine, region.shared(), Crowd::one)) [[unlikely]]
    race(access, region, offset, writer, true, code);
  if (is_atomic(access)) return;  // atomic writes remember them; an atomic read races with plain writes alone
  add_reader(cell, mine, mask, region.shared());
}

[[gnu::always_inline]] inline void Watch::add_reader(Cell& cell, Record mine, unsigned mask, bool shared) {
  const Record reader = load(cell.reader);
  if (reader.mask() == 0) return store(cell.reader, mine.with(mask));
  if (reader.same_moment(mine) && reader.crowd() == Crowd::one) return store(cell.reader, mine.with(reader.mask() | mask));
  join_readers(cell, reader, mine.with(mask), shared);
}

}  // namespace simt
