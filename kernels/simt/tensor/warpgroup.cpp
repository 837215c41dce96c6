#include "kernels/simt/tensor/warpgroup.hpp"

#include <cstring>

#include "kernels/simt/tensor/fragment.hpp"
#include "kernels/simt/tensor/instruction.hpp"
#include "kernels/simt/tensor/shared_matrix.hpp"

namespace simt {
namespace {

constexpr int kMaxWide = 256;  // columns of the widest wgmma

std::size_t words(const WarpgroupMultiply& what) { return static_cast<std::size_t>(what.columns) / (what.result == Result::fp16 ? 4 : 2); }

// Codes from shared memory: element (outer, k) at to[(outer - first) * outer_step + k * k_step], for `count` rows from `first` on.
void read(const SharedMatrix& m, bool transposed, int each, int first, int count, AsyncView& view, int outer_step, int k_step,
          std::uint32_t* to) {
  const int size = 4 / each, units = 16 / size;  // bytes of an element, elements of a unit
  const auto element = [size](const unsigned char* unit, int i) {
    std::uint32_t code = 0;
    std::memcpy(&code, unit + i * size, static_cast<std::size_t>(size));
    return code;
  };
  if (transposed) {
    for (int group = 0; group < count / 8; ++group)
      for (int k = 0; k < 16; ++k) {
        const unsigned char* unit = view.read16(unit_along_outer(m, first / 8 + group, k));
        for (int i = 0; i < 8; ++i) to[(group * 8 + i) * outer_step + k * k_step] = element(unit, i);
      }
    return;
  }
  for (int outer = 0; outer < count; ++outer)
    for (int half = 0; half < 2; ++half) {
      const unsigned char* unit = view.read16(unit_along_k(m, first + outer, half));
      for (int i = 0; i < units; ++i) to[outer * outer_step + (half * units + i) * k_step] = element(unit, i);
    }
}

void negate(int each, std::uint32_t* codes, int count) {
  const std::uint32_t sign = 1u << (32 / each - 1);
  for (int i = 0; i < count; ++i) codes[i] ^= sign;
}

void read_a(const PendingMultiply& work, int each, AsyncView& view, std::uint32_t* to) {
  if (!work.what.a_registers)
    return read(work.what.a, work.what.a_transposed, each, work.quarter * tensor::kRows, tensor::kRows, view, 1, tensor::kRows, to);
  for (int lane = 0; lane < 32; ++lane)
    for (int index = 0; index < 4; ++index)
      for (int element = 0; element < each; ++element) {
        const tensor::Place at = tensor::place_in_a(each, lane, index, element);
        to[at.outer + at.k * tensor::kRows] = unpack(each, work.a[lane][index], element);
      }
}

// Accumulators between the lanes' registers and c[column * kRows + row].
template <class Move>
void for_each_accumulator(const PendingMultiply& work, Move move) {
  const int per_word = work.what.result == Result::fp16 ? 2 : 1;
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < work.what.columns / 2; ++i) {
      const tensor::Place at = tensor::place_in_c(lane, i);
      move(work.d[lane][i / per_word], per_word, i % per_word, at.outer * tensor::kRows + at.k);
    }
}

// Tells the checker which bytes are read, in units of 16: the warp's rows of A and one in four of B's columns. The other three are
// left to the other warps of the warpgroup, which make the same calls.
void watch_reads(const PendingMultiply& work) {
  const auto read = [&](const SharedMatrix& m, bool transposed, int first, int step, int end) {
    if (transposed) {
      for (int group = first; group < end / 8; group += step)
        for (int k = 0; k < 16; ++k) watching->end_read(unit_along_outer(m, group, k), work.start, work.code);
      return;
    }
    for (int outer = first; outer < end; outer += step)
      for (int half = 0; half < 2; ++half) watching->end_read(unit_along_k(m, outer, half), work.start, work.code);
  };
  const WarpgroupMultiply& what = work.what;
  const int per_unit = what.a_transposed ? 8 : 1, rows = tensor::kRows;
  if (!what.a_registers) read(what.a, what.a_transposed, work.quarter * rows / per_unit, 1, (work.quarter + 1) * rows);
  read(what.b, what.b_transposed, work.quarter, 4, what.columns);
}

void execute(const PendingMultiply& work, AsyncView& view) {
  const WarpgroupMultiply& what = work.what;
  if (work.undefined) {
    for (std::uint32_t* d : work.d) std::memset(d, 0xff, words(what) * 4);
    return;
  }
  const int each = packed(what.type), k = 8 * each;
  std::uint32_t a[tensor::kMaxDepth * tensor::kRows], b[tensor::kMaxDepth * kMaxWide], c[kMaxWide * tensor::kRows] = {};
  read_a(work, each, view, a);
  read(what.b, what.b_transposed, each, 0, what.columns, view, k, 1, b);
  if (what.a_scale < 0) negate(each, a, k * tensor::kRows);
  if (what.b_scale < 0) negate(each, b, k * what.columns);
  if (what.accumulate)
    for_each_accumulator(work, [&](std::uint32_t word, int per_word, int part, int at) { c[at] = unpack(per_word, word, part); });
  multiply_tile(tensor::Family::wgmma, what.type, what.type, what.result,
                {.columns = what.columns, .k = k, .a = a, .b = b, .c = c, .d = c});
  for_each_accumulator(work, [&](std::uint32_t& word, int, int part, int at) { word = part ? word | c[at] << 16 : c[at]; });
}

}  // namespace

void WarpgroupWork::clear() {
  pending_.clear();
  groups_.clear();
  left_.clear();
  fenced_ = false;
}

void WarpgroupWork::issue(PendingMultiply work) {
  if (!fenced_) order_registers(work);
  pending_.push_back(std::move(work));
}

// Without wgmma.fence the tensor core sees the accumulators as wgmma left them, whatever the thread has put there since; registers that
// it has not met, and those of A, it sees in no known state.
void WarpgroupWork::order_registers(PendingMultiply& work) {
  const LeftBehind* known = nullptr;
  for (const LeftBehind& left : left_)
    if (left.d == work.d && left.words == words(work.what)) known = &left;
  if (!known || work.what.a_registers) {
    work.undefined = true;
    return;
  }
  for (std::size_t lane = 0; lane < 32; ++lane) std::memcpy(work.d[lane], known->values.data() + lane * known->words, known->words * 4);
}

void WarpgroupWork::end_reads(std::size_t groups_left) const {
  if (groups_.size() <= groups_left) return;
  for (std::size_t i = 0; i < groups_[groups_.size() - groups_left - 1]; ++i) watch_reads(pending_[i]);
}

void WarpgroupWork::wait(std::size_t groups_left, AsyncView& view) {
  fenced_ = false;
  if (groups_.size() <= groups_left) return;
  const std::size_t done = groups_.size() - groups_left, end = groups_[done - 1];
  left_.clear();
  for (std::size_t i = 0; i < end; ++i) execute(pending_[i], view);
  for (std::size_t i = 0; i < end; ++i) {
    LeftBehind left{pending_[i].d, words(pending_[i].what), {}};
    if (!left_.empty() && left_.back().d == left.d) continue;
    left.values.resize(32 * left.words);
    for (std::size_t lane = 0; lane < 32; ++lane) std::memcpy(left.values.data() + lane * left.words, left.d[lane], left.words * 4);
    left_.push_back(std::move(left));
  }
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(end));
  groups_.erase(groups_.begin(), groups_.begin() + static_cast<std::ptrdiff_t>(done));
  for (std::size_t& group : groups_) group -= end;
}

}  // namespace simt
