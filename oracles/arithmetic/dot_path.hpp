// The path bound (dot_bound.hpp): every step of the declared order, with the exact partial sum and how far the accumulator may be from it.
// For dot_bound.cpp alone.
#pragma once
#include <algorithm>

#include "oracles/arithmetic/dot_lanes.hpp"

namespace assay::dot_lanes {

/// An accumulator: the exact value it stands for, how far it may be off, and what its error is expected to be: a mean, and a variance around it.
struct State {
  Lanes sum, error, drift{}, variance{};

  ASSAY_INLINE void operator+=(const State& o) { sum += o.sum, error += o.error, drift += o.drift, variance += o.variance; }
};

/// The variance of what lies anywhere within `half` on either side.
ASSAY_INLINE Lanes spread_within(Lanes half) { return half * half / 3; }

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
  const Lanes half_cut = kept ? Lanes{} : smallest(reach, q) / 2;   // what is lost lies in [0, q), toward zero
  drift -= kept ? Lanes{} : with_sign(smallest(reach, q / 2), acc.sum);

  const Bits nothing = top == 0.0;   // zeros alone leave the accumulator as it is
  State after{acc.sum + added, acc.error + lost, acc.drift + drift, acc.variance + spread_within(half_cut)};
  Lanes rounding;
  if (to.toward_zero) {
    walk.note(after, to);
    const Lanes ulp = walk.ulp(after, to, walk.doubt(magnitude, walk.grid));
    const Lanes multiple = after.error == 0.0 ? largest(walk.grid, top * cut) : top * cut;
    rounding = largest(ulp - multiple, Lanes{});
    const Lanes half = largest(ulp - largest(q, multiple), Lanes{}) / 2;
    after.drift -= with_sign(half, after.sum), after.variance += spread_within(half);
  } else {
    rounding = walk.rounding(after, to, walk.grid, magnitude);
    after.variance += spread_within(rounding);
  }
  acc.sum = after.sum;
  acc.error = nothing ? acc.error : after.error + rounding;
  acc.drift = nothing ? acc.drift : after.drift;
  acc.variance = nothing ? acc.variance : after.variance;
}

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
    inner += accumulator[0];
    const Lanes r = walk.rounding(inner, formats.fp32, walk.grid, magnitude);
    inner.error += r, inner.variance += spread_within(r), promoted += r * absolute(scale);
    accumulator[0] = State{};
  }

  /// What was summed since the last promotion, in FP32.
  ASSAY_INLINE State partial(const Dot& dot, const Formats& formats, Walk& walk) {
    if (dot.promotion.inner) return inner;
    if (dot.instruction.accumulators == 1) return accumulator[0];
    State both = accumulator[0];
    both += accumulator[1];
    const Lanes r = walk.rounding(both, formats.fp32, walk.grid, magnitude);
    both.error += r, both.variance += spread_within(r), promoted += r * absolute(scale);
    return both;
  }

  /// main = main + scale * P.
  ASSAY_INLINE void promote(const Dot& dot, const Formats& formats, bool scaled, Walk& walk) {
    const State p = partial(dot, formats, walk);
    State term{p.sum * scale, p.error * absolute(scale), p.drift * scale, p.variance * scale * scale};
    scaled_magnitude += magnitude * absolute(scale);
    Lanes added{};
    if (scaled) {
      Bits exact{};   // the product of scales is an FP32 number
      for (int i = 0; i < kPanelColumns; i++) exact[i] = double(float(scale[i])) == scale[i] ? -1 : 0;
      added += exact ? Lanes{} : (absolute(term.sum) + term.error) * (dot.promotion.scale_roundings * 0x1p-24);
      if (!dot.promotion.fused) added += walk.rounding(State{term.sum, term.error + added}, formats.fp32, walk.scaled_grid, magnitude * absolute(scale));
    }
    term.error += added, term.variance += spread_within(added);
    main += term;
    const Lanes r = walk.rounding(main, formats.fp32, walk.scaled_grid, scaled_magnitude);
    main.error += r, main.variance += spread_within(r), promoted += added + r;
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

ASSAY_INLINE Outcome walk_path(const Dot& dot, const Operands& o, const Order& order) {
  const Formats formats(dot);
  const Combination& how = dot.combination;
  Walk walk{o.grid(), o.scaled_grid(), double(o.k) * 0x1p-52};
  Outcome out{};
  State total{}, neighbours{};
  Lanes all_parts{}, parts_with_terms{};
  auto add = [&](State& to) __attribute__((always_inline)) {
    const Lanes r = walk.rounding(to, formats.sum, walk.scaled_grid, out.magnitude);
    to.error += r, to.variance += spread_within(r), out.combined += r;
  };
  for (size_t i = 0; i < dot.chains.size(); i++) {
    const ChainWalk c = walk_chain(dot.chains[i], dot, formats, o, order, walk);
    out.accumulate += c.main.error - c.promoted, out.promoted += c.promoted, out.magnitude += c.scaled_magnitude;
    parts_with_terms += c.scaled_magnitude > 0.0 ? lanes(1) : Lanes{};
    State part = c.main;
    if (how.part != Format::fp32) {
      const Lanes r = walk.rounding(part, formats.part, walk.scaled_grid, c.scaled_magnitude);
      part.error += r, part.variance += spread_within(r), out.combined += r;
    }
    all_parts += absolute(part.sum) + part.error;

    // Neighbours first, then the list of their sums. Of additions into the output the last one's rounding is the output's own.
    const size_t place = i % size_t(how.together);
    const bool last = i + 1 == dot.chains.size();
    if (place == 0) neighbours = State{};
    neighbours += part;
    if (place > 0 && how.ascending) add(neighbours);
    if (!last && place + 1 < size_t(how.together)) continue;
    total += neighbours;
    if (i >= size_t(how.together) && how.ascending && !(last && how.into_output)) add(total);
  }
  if (!how.ascending && dot.chains.size() > 1) {
    // no partial sum of any order exceeds the sum of magnitudes; each part passes `depth` additions
    const int64_t additions = how.depth ? how.depth : int64_t(dot.chains.size()) - 1, depth = additions - (how.into_output ? 1 : 0);
    const State worst{all_parts, total.error};
    walk.note(worst, formats.sum);
    const Bits exact = (worst.error == 0.0) & (walk.ulp(worst, formats.sum, Lanes{}) <= walk.scaled_grid);
    out.combined += exact ? Lanes{} : all_parts * growth(how.sum, depth);
    total.variance += exact ? Lanes{} : spread_within(all_parts * growth(how.sum, 1)) * double(depth);
  }
  // A single part's rounding is the output's, which those after it leave alone: zeros are added.
  if (how.into_output) out.combined = parts_with_terms > 1.0 ? out.combined : Lanes{};
  out.value = total.sum, out.drift = total.drift, out.variance = total.variance, out.fullness = walk.fullness;
  return out;
}

}  // namespace assay::dot_lanes
