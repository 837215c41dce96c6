#include "properties/identify/replay.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <stdexcept>

namespace assay::properties {
namespace {

constexpr int kMinExponentFp32 = -126, kMinExponentFp16 = -14;

/// floor(log2 |x|), at least `least`; x is a normal FP64 number. (std::ilogb is a call, and this is where the time goes.)
int exponent_of(double x, int least) { return std::max(int(std::bit_cast<uint64_t>(x) >> 52 & 0x7FF) - 1023, least); }

/// 2^exponent within FP64's normal range.
double power(int exponent) { return std::bit_cast<double>(uint64_t(exponent + 1023) << 52); }

int least_exponent(Format f) { return 1 - info(f).bias; }

/// Toward zero to `kept` fraction bits, at most as fine as FP32's subnormal numbers.
double toward_zero(double x, int kept) {
  if (x == 0) return 0;
  const int last = exponent_of(x, kMinExponentFp32) - kept;
  return std::trunc(x * power(-last)) * power(last);
}

/// The accumulator's new value. A sum that rounds to nothing is +0, which is all the same here.
double settled(Rounding rounding, double sum) {
  switch (rounding) {
    case Rounding::fp32_toward_zero: return std::fabs(sum) >= 0x1p128 ? std::copysign(INFINITY, sum) : toward_zero(sum, 23);
    case Rounding::e8m13_toward_zero: return std::fabs(sum) >= 0x1p128 ? std::copysign(INFINITY, sum) : toward_zero(sum, 13);
    case Rounding::fp32_to_nearest: return rounded(Format::fp32, sum);
    case Rounding::fp16_to_nearest: return rounded(Format::fp16, sum);
  }
  return sum;
}

Format format_of(Rounding r) { return r == Rounding::fp16_to_nearest ? Format::fp16 : Format::fp32; }

/// a + b as a double that every narrower format rounds like the exact sum: a lost tail is kept as an odd last bit (Boldo and Melquiond
/// 2008).
double odd_sum(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum;
  const double part = sum - a, lost = (a - (sum - part)) + (b - part);
  const auto bits = std::bit_cast<uint64_t>(sum);
  if (lost == 0 || (bits & 1)) return sum;
  return std::bit_cast<double>((lost > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

double added(Format f, double a, double b) { return rounded(f, odd_sum(a, b)); }

/// The accumulators of one chain.
class Chained {
 public:
  Chained(const Loop& loop, const Terms& terms) : loop(loop), terms(terms) {
    const Instruction& in = loop.dot.instruction;
    order = in.order;
    if (order.empty())
      for (int i = 0; i < in.depth; i++) order.push_back(i);
    a.resize(size_t(in.terms)), b.resize(size_t(in.terms));
  }

  /// The instruction on elements [at, at + depth), of which those before `end` exist.
  void take(int64_t at, int64_t end) {
    const Instruction& in = loop.dot.instruction;
    const int share = in.depth / in.accumulators;
    if (since == 0 && terms.scale) scale = terms.scale(at);
    if (since == 0 && terms.first_scale) first_scale = terms.first_scale(at);
    for (int first = 0; first < in.depth; first += in.terms) {
      size_t count = 0;
      for (int i = first; i < first + in.terms; i++)
        if (const int64_t k = at + order[size_t(i)]; k < end) a[count] = terms.a[size_t(k)], b[count] = terms.b[size_t(k)], count++;
      double& acc = accumulator[size_t(first / share)];
      if (count > 0) acc = fused_sum(in, acc, std::span(a).first(count), std::span(b).first(count));
    }
    since += in.depth;
    const Promotion& p = loop.dot.promotion;
    if (p.inner && since % p.inner == 0) promote_inner();
    if (p.every && since >= p.every) promote();
  }

  double finish() {
    const Promotion& p = loop.dot.promotion;
    if (p.inner && since % p.inner) promote_inner();
    if (!p.every) return accumulator[0];
    if (since > 0) promote();
    return main;
  }

 private:
  const Loop& loop;
  const Terms& terms;
  std::vector<int> order;
  std::vector<double> a, b;  // of one fused sum
  std::array<double, 2> accumulator{};
  double inner = 0, main = 0;
  float scale = 1, first_scale = 1;
  int64_t since = 0;  // elements since the last promotion

  void promote_inner() {
    inner = added(Format::fp32, inner, accumulator[0]);
    accumulator = {};
  }
  void promote() {
    const Promotion& p = loop.dot.promotion;
    double partial = accumulator[0];
    if (p.inner)
      partial = inner;
    else if (loop.dot.instruction.accumulators == 2)
      partial = added(Format::fp32, accumulator[0], accumulator[1]);
    if (terms.first_scale) partial = rounded(Format::fp32, double(first_scale) * partial);
    if (!terms.scale)
      main = added(loop.main, main, partial);
    else if (p.fused)
      main = rounded(loop.main, fused_multiply_add(Format::fp32, scale, partial, main));
    else
      main = added(loop.main, main, rounded(Format::fp32, double(scale) * partial));
    accumulator = {}, inner = 0, since = 0;
  }
};

double chain_sum(const Loop& loop, const Chain& chain, const Terms& terms) {
  const int64_t whole = std::max<int64_t>(chain.end - chain.first, 1), width = chain.width ? chain.width : whole,
                stride = chain.width ? chain.stride : whole;
  Chained c(loop, terms);
  for (int64_t piece = chain.first; piece < chain.end; piece += stride) {
    const int64_t end = std::min({chain.end, piece + width, int64_t(terms.a.size())});
    for (int64_t at = piece; at < end; at += loop.dot.instruction.depth) c.take(at, end);
  }
  return c.finish();
}

}  // namespace

double rounded(Format f, double x) {
  if (f == Format::fp32) return double(float(x));
  return std::isfinite(x) ? decode(f, encode(f, x)) : x;
}

double fused_multiply_add(Format f, double a, double b, double c) { return rounded(f, odd_sum(a * b, c)); }

double fused_sum(const Instruction& in, double accumulator, std::span<const double> a, std::span<const double> b) {
  if (in.aligned_bits == 0) {
    if (a.size() != 1) throw std::invalid_argument("exact sums of several products are not replayed");
    return settled(in.rounding, odd_sum(a[0] * b[0], accumulator));
  }
  const bool narrow = format_of(in.rounding) == Format::fp16;
  const int least = least_exponent(in.operands), of_accumulator = narrow ? kMinExponentFp16 : kMinExponentFp32;
  // What a zero counts as: one below the least exponent of the accumulator, and as far again as it is aligned beyond 19 bits
  // (kernels/simt/tensor/parameters.hpp).
  int top = of_accumulator - 1 - (in.aligned_bits - 19);
  if (accumulator != 0) top = std::max(top, exponent_of(accumulator, of_accumulator));
  for (size_t i = 0; i < a.size(); i++)
    if (a[i] != 0 && b[i] != 0) top = std::max(top, exponent_of(a[i], least) + exponent_of(b[i], least));
  const double grid = power(top - in.aligned_bits), finer = power(in.aligned_bits - top);
  double sum = std::trunc(accumulator * finer);
  for (size_t i = 0; i < a.size(); i++) sum += std::trunc(a[i] * b[i] * finer);
  return settled(in.rounding, sum * grid);
}

double replay(const Loop& loop, const Terms& terms) {
  const Dot& dot = loop.dot;
  if (dot.chains.empty()) throw std::invalid_argument("a dot product whose order is not declared cannot be replayed");
  const Combination& how = dot.combination;
  double total = 0, neighbours = 0;
  for (size_t i = 0; i < dot.chains.size(); i++) {
    const double part = rounded(how.part, chain_sum(loop, dot.chains[i], terms));
    const bool first = int64_t(i) % how.together == 0, last = i + 1 == dot.chains.size() || int64_t(i + 1) % how.together == 0;
    neighbours = first ? part : added(how.sum, neighbours, part);
    if (last) total = int64_t(i) < how.together ? neighbours : added(how.sum, total, neighbours);
  }
  return total;
}

}  // namespace assay::properties
