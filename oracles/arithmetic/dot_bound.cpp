#include "oracles/arithmetic/dot_bound.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>

#include "oracles/arithmetic/arithmetic.hpp"
#include "oracles/arithmetic/grid.hpp"

namespace assay {
namespace {

#pragma GCC diagnostic ignored "-Wpsabi"   // wide vectors pass between inlined functions only

// Eight columns side by side. GCC lowers these to what the target has; bound_dots() picks the widest.
typedef double Lanes __attribute__((vector_size(8 * kPanelColumns), aligned(8)));
typedef int64_t Bits __attribute__((vector_size(8 * kPanelColumns), aligned(8)));
#define ASSAY_INLINE inline __attribute__((always_inline))

ASSAY_INLINE Lanes lanes(double x) { return Lanes{} + x; }
ASSAY_INLINE Lanes load(const double* p) {
  Lanes x;
  std::memcpy(&x, p, sizeof x);
  return x;
}
ASSAY_INLINE Lanes absolute(Lanes x) { return Lanes(Bits(x) & INT64_MAX); }
ASSAY_INLINE Lanes largest(Lanes a, Lanes b) { return a > b ? a : b; }
ASSAY_INLINE Lanes smallest(Lanes a, Lanes b) { return a < b ? a : b; }
ASSAY_INLINE Lanes with_sign(Lanes size, Lanes of) { return Lanes(Bits(size) | (Bits(of) & INT64_MIN)); }
/// floor(x) for 0 <= x < 2^51.
ASSAY_INLINE Lanes whole_below(Lanes x) {
  const Lanes nearest = (x + 0x1p52) - 0x1p52;
  return nearest > x ? nearest - 1.0 : nearest;
}
/// 2^floor(log2 x) for normal x >= 0; 0 for 0.
ASSAY_INLINE Lanes power_below(Lanes x) { return Lanes(Bits(x) & 0x7FF0000000000000); }

/// A format that sums are rounded to.
struct Target {
  double step, least, top;   // 2^-fraction bits; smallest normal; largest finite
  bool toward_zero;
  double zero = 0;           // the least power that alignment can have: what a zero counts as
};

Target target(Rounding r) {
  const bool fp16 = r == Rounding::fp16_to_nearest;
  return {std::ldexp(1.0, -fraction_bits(r)), fp16 ? 0x1p-14 : 0x1p-126, info(fp16 ? Format::fp16 : Format::fp32).max_finite,
          r == Rounding::fp32_toward_zero || r == Rounding::e8m13_toward_zero, fp16 ? 0x1p-20 : 0x1p-132};   // sm_89; sm_90: half of it
}
Target target(Format f) { return {std::ldexp(1.0, -info(f).fraction_bits), info(f).min_normal, info(f).max_finite, false}; }

/// An accumulator: the exact value it stands for, and how far it may be off.
struct State {
  Lanes sum, error, drift;
};

/// What all steps of one dot product share.
struct Walk {
  Lanes grid, scaled_grid;   // powers of two that divide every product, and every product times its scales
  double relative;           // FP64 sums of K terms may be off by this much of their magnitude: K * 2^-52
  Lanes fullness{};

  ASSAY_INLINE void note(const State& s, const Target& t) { fullness = largest(fullness, (absolute(s.sum) + s.error) / t.top); }

  /// How far an FP64 sum of terms on the grid, of that magnitude together, may be from the exact one: 0 while all partial sums fit 52 bits.
  ASSAY_INLINE Lanes doubt(Lanes magnitude, Lanes on_grid) const { return magnitude <= on_grid * 0x1p52 ? Lanes{} : magnitude * relative; }

  /// The last bit's worth of the largest value that a sum may have.
  ASSAY_INLINE Lanes ulp(const State& s, const Target& t, Lanes off) const {
    return largest(power_below(absolute(s.sum) + s.error + off), lanes(t.least)) * t.step;
  }

  /// The error of rounding to nearest a sum of terms of that magnitude. Data on a grid no finer than the format's last bit there is
  /// representable, and so is an exactly known sum that happens to be a multiple of that bit.
  ASSAY_INLINE Lanes rounding(const State& s, const Target& t, Lanes on_grid, Lanes magnitude) {
    note(s, t);
    const Lanes off = doubt(magnitude, on_grid);
    const Lanes last = ulp(s, t, off), multiples = s.sum / last;   // below 2^25: whole where adding 1.5 * 2^52 loses nothing
    const Bits whole = (off == 0.0) & ((multiples + 0x1.8p52) - 0x1.8p52 == multiples);
    const Bits exact = (s.error == 0.0) & ((last <= on_grid) | whole);
    return exact ? Lanes{} : last / 2;
  }
};

/// The elements of one instruction in the order of its sums.
struct Order {
  std::vector<int> offsets;
  int of_accumulator;   // elements that belong to one accumulator
};

Order order_of(const Instruction& i) {
  Order order{i.order, i.depth / i.accumulators};
  if (order.offsets.empty()) {
    order.offsets.resize(size_t(i.depth));
    std::iota(order.offsets.begin(), order.offsets.end(), 0);
  }
  return order;
}

/// One fused sum of the products at `offsets` (below `count`) into the accumulator.
ASSAY_INLINE void fused_sum(const Instruction& in, const Target& to, const double* a, const double* a_power, const double* b, const double* b_power,
                            const int* offsets, int terms, int64_t left, double lost_bits, State& acc, Walk& walk, Lanes& magnitude) {
  Lanes top{};
  for (int i = 0; i < terms; i++)
    if (offsets[i] < left) top = largest(top, load(b_power + offsets[i] * kPanelColumns) * a_power[offsets[i]]);
  const Lanes off = walk.doubt(magnitude, walk.grid), reach = absolute(acc.sum) + acc.error + off;
  const double cut = in.aligned_bits ? std::ldexp(1.0, -in.aligned_bits) : 0;
  const Lanes em = largest(largest(top, power_below(reach)), lanes(to.zero));
  const Lanes q = em * cut;
  // Nothing is cut off where the data's grid is no finer than q, nor where a product's own lowest bit is not.
  const Lanes threshold = q <= walk.grid ? Lanes{} : q * lost_bits;
  Lanes lost{}, added{}, drift{};
  for (int i = 0; i < terms; i++) {
    if (offsets[i] >= left) continue;
    const Lanes p = load(b + offsets[i] * kPanelColumns) * a[offsets[i]], size = absolute(p);
    const Lanes power = load(b_power + offsets[i] * kPanelColumns) * a_power[offsets[i]];
    const Bits cut_off = power < threshold;
    lost += cut_off ? smallest(size, q) : Lanes{};
    drift -= cut_off ? with_sign(size - q * whole_below(size / q), p) : Lanes{};
    added += p;
    magnitude += size;
  }
  // The accumulator is cut at q as well, unless its own last bit is no finer: on the data's grid, or certainly large enough.
  const Lanes low = absolute(acc.sum) - acc.error - off;
  const Bits kept = (reach == 0.0) | ((acc.error == 0.0) & (q <= walk.grid)) | ((low > 0.0) & (q <= power_below(low) * to.step));
  lost += kept ? Lanes{} : smallest(reach, q);
  drift -= kept ? Lanes{} : with_sign(smallest(reach, q / 2), acc.sum);

  const Bits nothing = top == 0.0;   // zeros alone leave the accumulator as it is
  State after{acc.sum + added, acc.error + lost, acc.drift + drift};
  Lanes rounding;
  if (to.toward_zero) {
    walk.note(after, to);
    const Lanes ulp = walk.ulp(after, to, walk.doubt(magnitude, walk.grid));
    const Lanes multiple = after.error == 0.0 ? largest(walk.grid, top * cut) : top * cut;
    rounding = largest(ulp - multiple, Lanes{});
    after.drift -= with_sign(largest(ulp - largest(q, multiple), Lanes{}) / 2, after.sum);
  } else {
    rounding = walk.rounding(after, to, walk.grid, magnitude);
  }
  acc.sum = after.sum;
  acc.error = nothing ? acc.error : after.error + rounding;
  acc.drift = nothing ? acc.drift : after.drift;
}

struct Operands {
  const DotRow& row;
  const DotPanel& panel;
  int64_t group, k;
  bool scaled;

  ASSAY_INLINE Lanes scale(int64_t at) const { return scaled ? load(panel.scale.data() + at / group * kPanelColumns) * row.scale[size_t(at / group)] : lanes(1); }
  ASSAY_INLINE Lanes grid() const { return load(panel.grid.data()) * row.grid; }
  ASSAY_INLINE Lanes scaled_grid() const { return scaled ? grid() * load(panel.scale_grid.data()) * row.scale_grid : grid(); }
};

/// What is shared by all chains.
struct Formats {
  Target instruction, fp32, part, sum;
  double lost_bits;   // a product's lowest bit, relative to its power

  explicit Formats(const Dot& dot)
      : instruction(target(dot.instruction.rounding)), fp32(target(Format::fp32)), part(target(dot.combination.part)), sum(target(dot.combination.sum)),
        lost_bits(std::ldexp(1.0, 2 * info(dot.instruction.operands).fraction_bits)) {}
};

/// One chain, from its first element on.
struct ChainWalk {
  State accumulator[2] = {}, inner{}, main{};
  Lanes promoted{};            // the part of main.error that promotions made
  Lanes magnitude{};           // of the terms since the last promotion, without scale
  Lanes scaled_magnitude{};    // of those before it, with scale
  Lanes scale = lanes(1);
  int64_t since = 0;           // elements since the last promotion

  /// The instruction's accumulator into the FP32 sum within a promotion.
  ASSAY_INLINE void promote_inner(const Formats& formats, Walk& walk) {
    inner.sum += accumulator[0].sum, inner.error += accumulator[0].error, inner.drift += accumulator[0].drift;
    const Lanes r = walk.rounding(inner, formats.fp32, walk.grid, magnitude);
    inner.error += r, promoted += r * absolute(scale);
    accumulator[0] = State{};
  }

  /// What was summed since the last promotion, in FP32.
  ASSAY_INLINE State partial(const Dot& dot, const Formats& formats, Walk& walk) {
    if (dot.promotion.inner) return inner;
    if (dot.instruction.accumulators == 1) return accumulator[0];
    const State &a = accumulator[0], &b = accumulator[1];
    State both{a.sum + b.sum, a.error + b.error, a.drift + b.drift};
    const Lanes r = walk.rounding(both, formats.fp32, walk.grid, magnitude);
    both.error += r, promoted += r * absolute(scale);
    return both;
  }

  /// main = main + scale * P.
  ASSAY_INLINE void promote(const Dot& dot, const Formats& formats, bool scaled, Walk& walk) {
    const State p = partial(dot, formats, walk);
    State term{p.sum * scale, p.error * absolute(scale), p.drift * scale};
    scaled_magnitude += magnitude * absolute(scale);
    Lanes added{};
    if (scaled) {
      Bits exact{};   // the product of scales is an FP32 number
      for (int i = 0; i < kPanelColumns; i++) exact[i] = double(float(scale[i])) == scale[i] ? -1 : 0;
      added += exact ? Lanes{} : (absolute(term.sum) + term.error) * (dot.promotion.scale_roundings * 0x1p-24);
      if (!dot.promotion.fused) added += walk.rounding(State{term.sum, term.error + added, {}}, formats.fp32, walk.scaled_grid, magnitude * absolute(scale));
    }
    main.sum += term.sum, main.error += term.error + added, main.drift += term.drift;
    const Lanes r = walk.rounding(main, formats.fp32, walk.scaled_grid, scaled_magnitude);
    main.error += r, promoted += added + r;
    accumulator[0] = accumulator[1] = inner = State{}, magnitude = Lanes{}, since = 0;
  }

  /// One instruction, from element `at` on; `left` of its elements exist.
  ASSAY_INLINE void take(const Dot& dot, const Formats& formats, const Operands& o, const Order& order, int64_t at, int64_t left, Walk& walk) {
    const Instruction& in = dot.instruction;
    if (since == 0) scale = o.scale(at);
    for (int first = 0; first < in.depth; first += in.terms)
      fused_sum(in, formats.instruction, o.row.a.data() + at, o.row.power.data() + at, o.panel.b.data() + at * kPanelColumns,
                o.panel.power.data() + at * kPanelColumns, order.offsets.data() + first, in.terms, left, formats.lost_bits,
                accumulator[first / order.of_accumulator], walk, magnitude);
    since += in.depth;
    if (dot.promotion.inner && since % dot.promotion.inner == 0) promote_inner(formats, walk);
    if (dot.promotion.every && since >= dot.promotion.every) promote(dot, formats, o.scaled, walk);
  }

  ASSAY_INLINE void finish(const Dot& dot, const Formats& formats, const Operands& o, Walk& walk) {
    if (dot.promotion.inner && since % dot.promotion.inner) promote_inner(formats, walk);
    if (dot.promotion.every && since > 0) promote(dot, formats, o.scaled, walk);
    if (!dot.promotion.every) main = accumulator[0], scaled_magnitude = magnitude;
  }
};

ASSAY_INLINE ChainWalk walk_chain(const Chain& chain, const Dot& dot, const Formats& formats, const Operands& o, const Order& order, Walk& walk) {
  const int64_t width = chain.width ? chain.width : std::max<int64_t>(chain.end - chain.first, 1), stride = chain.width ? chain.stride : width;
  ChainWalk c;
  for (int64_t piece = chain.first; piece < chain.end; piece += stride) {
    const int64_t end = std::min({chain.end, piece + width, o.k});
    for (int64_t at = piece; at < end; at += dot.instruction.depth) c.take(dot, formats, o, order, at, end - at, walk);
  }
  c.finish(dot, formats, o, walk);
  return c;
}

struct Outcome {
  Lanes value, magnitude, accumulate, promoted, combined, drift, fullness;
};

ASSAY_INLINE Outcome walk_path(const Dot& dot, const Operands& o, const Order& order) {
  const Formats formats(dot);
  const Combination& how = dot.combination;
  Walk walk{o.grid(), o.scaled_grid(), double(o.k) * 0x1p-52};
  Outcome out{};
  State total{}, neighbours{};
  Lanes all_parts{}, parts_with_terms{};
  auto add = [&](State& to) __attribute__((always_inline)) {
    const Lanes r = walk.rounding(to, formats.sum, walk.scaled_grid, out.magnitude);
    to.error += r, out.combined += r;
  };
  for (size_t i = 0; i < dot.chains.size(); i++) {
    const ChainWalk c = walk_chain(dot.chains[i], dot, formats, o, order, walk);
    out.accumulate += c.main.error - c.promoted, out.promoted += c.promoted, out.magnitude += c.scaled_magnitude;
    parts_with_terms += c.scaled_magnitude > 0.0 ? lanes(1) : Lanes{};
    State part = c.main;
    if (how.part != Format::fp32) {
      const Lanes r = walk.rounding(part, formats.part, walk.scaled_grid, c.scaled_magnitude);
      part.error += r, out.combined += r;
    }
    all_parts += absolute(part.sum) + part.error;

    // Neighbours first, then the list of their sums. Of additions into the output the last one's rounding is the output's own.
    const size_t place = i % size_t(how.together);
    const bool last = i + 1 == dot.chains.size();
    if (place == 0) neighbours = State{};
    neighbours.sum += part.sum, neighbours.error += part.error, neighbours.drift += part.drift;
    if (place > 0 && how.ascending) add(neighbours);
    if (!last && place + 1 < size_t(how.together)) continue;
    total.sum += neighbours.sum, total.error += neighbours.error, total.drift += neighbours.drift;
    if (i >= size_t(how.together) && how.ascending && !(last && how.into_output)) add(total);
  }
  if (!how.ascending && dot.chains.size() > 1) {
    // no partial sum of any order exceeds the sum of magnitudes; each part passes `depth` additions
    const int64_t additions = how.depth ? how.depth : int64_t(dot.chains.size()) - 1, depth = additions - (how.into_output ? 1 : 0);
    const State worst{all_parts, total.error, {}};
    walk.note(worst, formats.sum);
    const Bits exact = (worst.error == 0.0) & (walk.ulp(worst, formats.sum, Lanes{}) <= walk.scaled_grid);
    out.combined += exact ? Lanes{} : all_parts * growth(how.sum, depth);
  }
  // A single part's rounding is the output's, which those after it leave alone: zeros are added.
  if (how.into_output) out.combined = parts_with_terms > 1.0 ? out.combined : Lanes{};
  out.value = total.sum, out.drift = total.drift, out.fullness = walk.fullness;
  return out;
}

/// No order: sums of the products by group, and the largest partial sum that any order may have.
ASSAY_INLINE Outcome any_order(const Dot& dot, const Operands& o, bool random_signs) {
  const Instruction& in = dot.instruction;
  const Target to = target(in.rounding);
  const double aligned = in.aligned_bits ? double(in.terms) * std::ldexp(1.0, -in.aligned_bits) : 0;
  const double c1 = (1 + aligned) * (1 + to.step / (to.toward_zero ? 1 : 2)) - 1;
  const int64_t every = dot.promotion.every ? dot.promotion.every : o.scaled ? o.group : o.k;
  const double lambda = random_sign_lambda();
  Outcome out{};
  const Lanes grid = o.grid();
  // What a step may lose besides a share of its sum: a subnormal bit, and terms below the least exponent that alignment knows.
  const double floor = to.least * to.step + in.terms * to.zero * (in.aligned_bits ? std::ldexp(1.0, -in.aligned_bits) : 0);
  int64_t groups = 0;
  for (int64_t first = 0; first < o.k; first += every, groups++) {
    const int64_t end = std::min(o.k, first + every), inner = dot.promotion.inner ? (end - first) / dot.promotion.inner + 1 : 0;
    const int64_t steps = (end - first + in.terms - 1) / in.terms + inner;   // an FP32 addition errs by less than c1
    Lanes value{}, size{}, squares{}, top{};
    for (int64_t k = first; k < end; k++) {
      const Lanes p = load(o.panel.b.data() + k * kPanelColumns) * o.row.a[size_t(k)];
      value += p, size += absolute(p), squares += p * p;
      top = largest(top, load(o.panel.power.data() + k * kPanelColumns) * o.row.power[size_t(k)]);
    }
    Lanes most = (size + absolute(value)) / 2 * (1 + 0x1p-40);   // the larger of the sums of one sign
    if (random_signs) {
      Lanes root;
      for (int i = 0; i < kPanelColumns; i++) root[i] = std::sqrt(squares[i]);
      most = smallest(most, root * (lambda * (1 + 0x1p-40)));
    }
    most = largest(most, top);
    const double grown = std::expm1(double(steps) * std::log1p(c1)) * (1 + 0x1p-40), floors = double(steps) * floor;
    const Lanes reach = largest(size, top);   // of every partial sum, and of what alignment may align to
    const Bits fits = (reach <= grid / to.step) & (grid >= to.least * to.step);
    const Bits uncut = in.aligned_bits ? (reach <= grid * std::ldexp(1.0, in.aligned_bits)) : fits;
    const Lanes scale = o.scale(first);
    out.accumulate += fits & uncut ? Lanes{} : ((most + floors) * grown + floors) * absolute(scale);
    out.value += value * scale, out.magnitude += size * absolute(scale);
    out.fullness = largest(out.fullness, most * (1 + grown) / to.top);
  }
  if (dot.promotion.every || o.scaled) {
    const Lanes reach = out.magnitude + out.accumulate;
    const Bits exact = (out.accumulate == 0.0) & (out.magnitude <= o.scaled_grid() * 0x1p24);
    out.promoted = exact ? Lanes{} : reach * growth(Format::fp32, groups + dot.promotion.scale_roundings + 1);
    out.fullness = largest(out.fullness, (reach + out.promoted) / info(Format::fp32).max_finite);
  }
  return out;
}

ASSAY_INLINE Outcome evaluate(const Dot& dot, const Operands& o, const Order& order, bool random_signs) {
  return dot.chains.empty() ? any_order(dot, o, random_signs) : walk_path(dot, o, order);
}

#if defined(__x86_64__)
__attribute__((target("avx512f,avx512dq,avx512vl,fma,prefer-vector-width=512"))) void evaluate_avx512(const Dot& d, const Operands& o, const Order& r, bool s,
                                                                                                Outcome& out) {
  out = evaluate(d, o, r, s);
}
#endif
void evaluate_baseline(const Dot& d, const Operands& o, const Order& r, bool s, Outcome& out) { out = evaluate(d, o, r, s); }

using Evaluate = void(const Dot&, const Operands&, const Order&, bool, Outcome&);
Evaluate* widest() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) return evaluate_avx512;
#endif
  return evaluate_baseline;
}

/// The power that aligns an operand: subnormals count with the least exponent of their format.
double power_of(double x, double least) {
  if (x == 0) return 0;
  return std::max(std::bit_cast<double>(std::bit_cast<uint64_t>(x) & 0x7FF0000000000000), least);
}

double grid_of(std::span<const double> elements, bool& finite) {
  double grid = INFINITY;
  for (double x : elements) {
    if (!std::isfinite(x)) finite = false;
    else if (x != 0) grid = std::min(grid, lowest_bit(x));
  }
  return std::isinf(grid) ? 1 : grid;
}

/// Infinities and NaN by IEEE 754, which holds as long as no sum of the finite terms overflows: before or after the scales.
DotResult ieee_sum(const Dot& dot, const Operands& o, int column) {
  DotResult r;
  double unscaled = 0;
  for (int64_t k = 0; k < o.k; k++) {
    double term = o.row.a[size_t(k)] * o.panel.b[size_t(k * kPanelColumns + column)];
    if (std::isfinite(term)) unscaled += std::fabs(term);
    if (o.scaled) term *= o.row.scale[size_t(k / o.group)] * o.panel.scale[size_t(k / o.group * kPanelColumns + column)];
    if (std::isfinite(term)) r.magnitude += std::fabs(term);
    r.value += term;
  }
  r.fullness = std::max(unscaled / target(dot.instruction.rounding).top, r.magnitude / info(Format::fp32).max_finite);
  return r;
}

}  // namespace

namespace {

/// Declarations that say nothing, or what is not evaluated here.
void check(const Dot& dot, int64_t group) {
  auto refuse = [](const char* why) { throw std::invalid_argument(std::string("dot: ") + why); };
  const Instruction& in = dot.instruction;
  const Promotion& p = dot.promotion;
  const Combination& c = dot.combination;
  if (in.depth < 1 || in.terms < 1 || in.depth % in.terms || (!in.order.empty() && int(in.order.size()) != in.depth)) refuse("an instruction's sums and order cover its depth");
  if (in.accumulators < 1 || in.accumulators > 2 || in.depth / in.terms % in.accumulators) refuse("one or two accumulators share an instruction's sums evenly");
  if (in.accumulators == 2 && (p.every == 0 || p.inner)) refuse("two accumulators meet where they are promoted, at once");
  if (p.every % in.depth || p.inner % in.depth) refuse("promotions come after whole instructions");
  if (dot.chains.empty()) {
    if (in.accumulators > 1 || c.part != Format::fp32 || c.sum != Format::fp32) refuse("without chains there is one accumulator, and no parts");
    return;
  }
  if (c.together < 1 || (c.into_output && c.together > 1)) refuse("neighbours are added before a sum that is not the output's");
  if (group == 0) return;
  if (p.every == 0) refuse("scales by group of k need a promotion that multiplies them in");
  for (const Chain& chain : dot.chains)
    if (group % p.every || chain.first % p.every || chain.width % p.every || (chain.width && chain.stride % p.every)) refuse("a promotion stays within a group of scales");
}

}  // namespace

double random_sign_lambda() {
  // 2^44 partial sums, each above lambda * |p|_2 with a chance of at most 2 exp(-lambda^2 / 2) (Hoeffding, Rademacher signs): 1e-12 together
  return std::sqrt(2 * std::log(2 * 0x1p44 / 1e-12));
}

DotRow::DotRow(std::span<const double> elements, std::span<const double> scales, const Instruction& in) : a(elements.begin(), elements.end()) {
  const double least = info(in.operands).min_normal;
  for (double x : a) power.push_back(power_of(x, least));
  grid = grid_of(a, finite);
  scale.assign(scales.begin(), scales.end());
  scale_grid = grid_of(scale, finite);
}

DotPanel::DotPanel(std::span<const std::vector<double>> rows, std::span<const std::vector<double>> scales, const Instruction& in) : columns(int(rows.size())) {
  const size_t k = rows.front().size(), groups = scales.empty() ? 0 : scales.front().size();
  b.assign(k * kPanelColumns, 0), power = b;
  scale.assign(groups * kPanelColumns, 0);
  grid.fill(1), scale_grid.fill(1), finite.fill(true);
  const double least = info(in.operands).min_normal;
  for (size_t c = 0; c < rows.size(); c++) {
    for (size_t i = 0; i < k; i++) b[i * kPanelColumns + c] = rows[c][i], power[i * kPanelColumns + c] = power_of(rows[c][i], least);
    for (size_t g = 0; g < groups; g++) scale[g * kPanelColumns + c] = scales[c][g];
    grid[c] = grid_of(rows[c], finite[c]);
    if (groups) scale_grid[c] = grid_of(scales[c], finite[c]);
  }
}

void bound_dots(const Dot& dot, const DotRow& row, const DotPanel& panel, int64_t group, bool random_signs, std::span<DotResult> results) {
  static Evaluate* const chosen = widest();
  const Operands o{row, panel, group, int64_t(row.a.size()), group > 0};
  check(dot, group);
  Outcome out;
  chosen(dot, o, order_of(dot.instruction), random_signs, out);
  const auto k = double(o.k), sums = k + double(dot.chains.size()) + (o.scaled ? 3 * k / double(group) : 0) + (dot.promotion.every ? k / double(dot.promotion.every) : 0);
  for (int i = 0; i < panel.columns; i++) {
    DotResult& r = results[size_t(i)];
    if (!row.finite || !panel.finite[size_t(i)]) {
      r = ieee_sum(dot, o, i);
      continue;
    }
    const double grid = row.grid * panel.grid[size_t(i)] * (o.scaled ? row.scale_grid * panel.scale_grid[size_t(i)] : 1);
    r = {.value = out.value[i], .magnitude = out.magnitude[i] * (1 + sums * 0x1p-52), .drift = out.drift[i], .fullness = out.fullness[i]};
    // Every partial sum of every order is a multiple of the grid and below the magnitude: exact in FP64 while that fits 53 bits.
    if (r.magnitude > 0x1p53 * grid) r.radius = sums * 0x1p-53 * (1 + 0x1p-20) * r.magnitude;
    r.bound[Term::accumulate] = out.accumulate[i];
    r.bound[Term::promote] = out.promoted[i];
    r.bound[Term::combine] = out.combined[i];
  }
}

}  // namespace assay
