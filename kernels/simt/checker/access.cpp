// The rare part of checking an access.
#include "kernels/simt/checker/access.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/simt/runtime/block.hpp"
#include "kernels/simt/runtime/report.hpp"
#include "kernels/simt/runtime/symbol.hpp"

namespace simt {
namespace {

const char* verb(Access access) {
  switch (access) {
    case Access::read:
    case Access::atomic_read: return "reads";
    case Access::write:
    case Access::atomic_store: return "writes";
    case Access::atomic_write: break;
  }
  return "atomically updates";
}

uint3 index_within(std::uint64_t rank, dim3 size) {
  return {static_cast<unsigned>(rank % size.x), static_cast<unsigned>(rank / size.x % size.y),
          static_cast<unsigned>(rank / size.x / size.y)};
}

}  // namespace

// Both have read the same bytes unless the masks say otherwise; a reader that has been waited for since is not remembered.
void Watch::join_readers(Cell& cell, Record reader, Record mine, bool shared) {
  const unsigned both = reader.mask() & mine.mask();
  const bool alone = reader.crowd() == Crowd::one && reader.same_thread(mine);
  if (!both || alone || ordered(reader, mine, shared, reader.crowd())) return store(cell.reader, mine);
  Crowd crowd = reader.ordinal() != mine.ordinal() ? Crowd::grid : reader.warp() != mine.warp() ? Crowd::block : Crowd::warp;
  crowd = std::max(crowd, reader.crowd());
  store(cell.reader, mine.with(both, static_cast<unsigned>(crowd)));
}

// An access that lies across words.
void Watch::races(Access access, const Region& region, std::size_t offset, unsigned bytes, const void* code) {
  for (unsigned i = 0; i < bytes; ++i) {
    const unsigned mask = 1u << (offset + i) % 4;
    writes(access) ? write_cell(access, region, offset + i, mask, code) : read_cell(access, region, offset + i, mask, code);
  }
}

void Watch::bad_state(Access access, const Region& region, std::ptrdiff_t offset, unsigned bytes, const void* code) {
  using enum Finding::Kind;
  std::ptrdiff_t at = offset;
  const auto state = [&] { return at >= 0 && at < static_cast<std::ptrdiff_t>(region.bytes) ? region.state()[at] : 0u; };
  for (; at < offset + bytes - 1 && (state() & wanted(access)) == wanted(access);) ++at;
  const std::string buffer = region.buffer(at), where = region.place(at),
                    what = fmt::format("{} {} byte{}", verb(access), bytes, bytes == 1 ? "" : "s");
  const unsigned found = state();
  if (!(found & kElement))
    return find(writes(access) ? out_of_bounds_write : out_of_bounds_read, buffer,
                fmt::format("{} out of bounds of '{}': {}", what, buffer, where), code);
  if (found & kPending)
    return find(missing_wait, buffer,
                fmt::format("{} of '{}', {}, where a copy has yet to land: it must be waited for first", what, buffer, where),
                code);
  if (writes(access) && !(found & kWritable))
    return find(write_to_input, buffer, fmt::format("{} of '{}', {}, which is an input", what, buffer, where), code);
  find(uninitialised_read, buffer, fmt::format("{} of '{}', {}, which nobody has written", what, buffer, where), code);
}

void Watch::race(Access access, const Region& region, std::size_t offset, Record other, bool other_wrote, const void* code) {
  const std::string buffer = region.buffer(static_cast<std::ptrdiff_t>(offset));
  const bool same_block = other.ordinal() == ordinal_;
  const char* did = !other_wrote ? "read" : other.atomic() ? "updated atomically" : "wrote";
  std::string who = "thread " + text(index_within(other.rank(), block_.launch->block));
  if (!same_block) who += " of block " + text(index_within(other.ordinal() - launch_->first, block_.launch->grid));
  if (!other_wrote && other.crowd() != Crowd::one) who += " and others";
  const char* missing = !same_block                          ? "blocks of a launch have no order"
                        : other.warp() == current->rank / 32 ? "no barrier or __syncwarp lies between"
                                                             : "no barrier lies between";
  find(Finding::Kind::race, buffer,
       fmt::format("races: it {} '{}', {}, which {} {}; {}", verb(access), buffer, region.place(static_cast<std::ptrdiff_t>(offset)), who,
                   did, missing),
       code);
}

void Watch::misaligned(bool store, const void* address, std::size_t alignment, const char* type, const void* code) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const Region* region = region_at(at);
  const auto offset = region ? static_cast<std::ptrdiff_t>(at - region->start) : 0;
  const std::string buffer = region ? region->buffer(offset) : "a local variable";
  find(Finding::Kind::misaligned, buffer,
       fmt::format("{} {} at '{}'{}{}, an address that is no multiple of {}", store ? "writes" : "reads", type, buffer, region ? ", " : "",
                   region ? region->place(offset) : "", alignment),
       code);
}

void Watch::index_out_of_bounds(const char* array, std::int64_t index, const char* file, unsigned line, const void* code) {
  find(Finding::Kind::index_out_of_bounds, array, fmt::format("index {} is outside an array of type {} at {}:{}", index, array, file, line),
       code);
}

void Watch::check_range(Access access, const void* address, std::size_t bytes, const void* code) {
  const char* at = static_cast<const char*>(address);
  for (; bytes >= 4; bytes -= 4, at += 4) writes(access) ? check_sized<Access::write, 4>(at, code) : check_sized<Access::read, 4>(at, code);
  for (; bytes; --bytes, ++at) writes(access) ? check_sized<Access::write, 1>(at, code) : check_sized<Access::read, 1>(at, code);
}

void Watch::load_acquire(const std::uint32_t* address, const void* code) {
  check_sized<Access::atomic_read, 4>(address, code);
  acquire();
}

// Atomic with respect to other flags, but it need not find a value.
void Watch::store_release(const std::uint32_t* address, const void* code) {
  check_sized<Access::atomic_store, 4>(address, code);
  release();
}

void Watch::read16(const void* address, const void* code) { check_sized<Access::read, 16>(address, code); }

// Only what would be right is remembered as under way. The target is written from now on, not only when the copy lands.
void Watch::start_copy(void* target, const void* source, std::size_t bytes, const void* code) {
  if (bytes == 16)
    check_sized<Access::read, 16>(source, code);
  else
    check_range(Access::read, source, bytes, code);
  const auto at = reinterpret_cast<std::uintptr_t>(target);
  Region* region = region_at(at);
  if (!region) return;
  const std::size_t offset = at - region->start;
  if (offset + 16 > region->bytes || !States<16>::hold(region->state() + offset, wanted(Access::write)))
    return bad_state(Access::write, *region, static_cast<std::ptrdiff_t>(offset), 16, code);
  for (unsigned i = 0; i < 16; i += 4) write_cell(Access::write, *region, offset + i, 15, code);
  region->mark(offset, 16, kElement | kPending);
}

void Watch::land_copy(void* target) {
  const auto at = reinterpret_cast<std::uintptr_t>(target);
  Region* region = region_at(at);
  if (!region || at - region->start + 16 > region->bytes || !(region->state()[at - region->start] & kPending)) return;
  region->mark(at - region->start, 16, kElement | kWritable);
  check_sized<Access::write, 16>(target, nullptr);
}

void Watch::land_bulk_copy(void* target, unsigned starter) {
  const auto at = reinterpret_cast<std::uintptr_t>(target);
  Region* region = region_at(at);
  if (!region || at - region->start + 16 > region->bytes || !(region->state()[at - region->start] & kPending)) return;
  const std::size_t offset = at - region->start;
  region->mark(offset, 16, kElement | kInitialised | kWritable);
  for (unsigned i = 0; i < 16; i += 4) store(region->cell(offset + i)->writer, Record::of(ordinal_, clock_, starter).with(15));
}

// The clock moves, so that what the warp itself writes later is known to be later. The warp's first lane stands for all.
Moment Watch::start_read() {
  tick();
  return moment(current->rank / 32 * 32);
}

void Watch::end_read(const void* source, const Moment& start, const void* code) {
  const auto at = reinterpret_cast<std::uintptr_t>(source);
  const Region* region = region_at(at);
  if (!region) return;
  const std::size_t offset = at - region->start;
  if (offset + 16 > region->bytes || !States<16>::hold(region->state() + offset, wanted(Access::read)))
    return bad_state(Access::read, *region, static_cast<std::ptrdiff_t>(offset), 16, code);
  const Record mine = Record::of(ordinal_, clock_, start.rank);
  for (unsigned i = 0; i < 16; i += 4) {
    Cell& cell = *region->cell(offset + i);
    const Record writer = load(cell.writer);
    const bool is_later = writer.clock() >= start.clock && writer.clock() != Record::kLastClock;
    if (writer.mask() && writer.ordinal() == ordinal_ && (is_later || !start.follows(writer, Crowd::one)))
      race(Access::read, *region, offset + i, writer, true, code);
    add_reader(cell, mine, 15, true);
  }
}

void Watch::find(Finding::Kind kind, std::string buffer, std::string what, const void* code) const {
  if (buffer == kConstructionGuard) return;  // no memory of the kernel's
  std::string line = fmt::format("kernel {}, block {}, thread {} {}", symbol_name(block_.launch->kernel), text(current->block_index),
                                 text(current->thread_index), what);
  record_finding({.kind = kind,
                  .buffer = std::move(buffer),
                  .text = std::move(line),
                  .launch = launch_->number,
                  .block = block_.number,
                  .thread = current->rank,
                  .count = 1},
                 code);
}

}  // namespace simt
