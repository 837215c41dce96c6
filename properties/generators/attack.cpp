#include "properties/generators/attack.hpp"

#include <bit>
#include <cmath>

#include "fixtures/fill/fill.hpp"
#include "fixtures/fill/random.hpp"

namespace assay::properties {
namespace {

/// Random numbers in order.
struct Dice {
  Stream stream;
  uint64_t thrown = 0;
  uint64_t below(uint64_t n) { return stream.below(n, thrown++); }
};

/// Indices stay: most other numbers in their place would be no legal operand.
bool is_index(Meaning m) { return m == Meaning::position || m == Meaning::permutation || m == Meaning::group_index; }

bool may_change(const Tensor& t) { return t.spec.role != Role::output && !is_index(t.spec.meaning) && t.spec.elements() > 0; }

uint64_t changed_code(const Tensor& t, int64_t row, int64_t column, Dice& dice) {
  const uint64_t code = t.code(row, column);
  const int64_t other_row = int64_t(dice.below(uint64_t(t.spec.rows()))), other_column = int64_t(dice.below(uint64_t(t.spec.width())));
  const auto bits = uint64_t(info(t.spec.format).bits);
  if (!info(t.spec.format).floating) return dice.below(2) ? t.code(other_row, other_column) : code ^ (uint64_t{1} << dice.below(bits));
  switch (dice.below(3)) {
    case 0: return dice.below(2) ? next_up(t.spec.format, code) : next_down(t.spec.format, code);
    case 1: return t.code(other_row, other_column);
    default: return code ^ dice.below(uint64_t{1} << info(t.spec.format).fraction_bits);
  }
}

/// An element that may have something to do with `place`: its own row or column (also modulo half a row, where two operands share one), or
/// any.
std::pair<int64_t, int64_t> related(const Tensor& t, const OutputElement& place, Dice& dice) {
  const int64_t rows = t.spec.rows(), width = t.spec.width();
  const int64_t row = dice.below(4) ? std::min(place.row, rows - 1) : int64_t(dice.below(uint64_t(rows)));
  const int64_t columns[] = {place.column % width, (place.column + width / 2) % width, int64_t(dice.below(uint64_t(width)))};
  return {row, columns[dice.below(3)]};
}

/// Some elements of one tensor, from one to a row's worth, all finite.
Tensors changed(const Tensors& operands, const OutputElement& place, Dice& dice) {
  Tensors next = operands;
  std::vector<Tensor*> open;
  for (Tensor& t : next)
    if (may_change(t)) open.push_back(&t);
  Tensor& t = *open[dice.below(open.size())];
  const bool far = dice.below(2);   // near steps climb, far ones leave a plateau
  const uint64_t changes = far ? uint64_t{1} << dice.below(uint64_t(std::bit_width(uint64_t(t.spec.width())))) : 1 + dice.below(3);
  for (uint64_t i = 0; i < changes; i++) {
    const auto [row, column] = related(t, place, dice);
    const uint64_t code = changed_code(t, row, column, dice);
    if (std::isfinite(decode(t.spec.format, code))) t.set_code(row, column, code);
  }
  return next;
}

}  // namespace

Climb attack(Bench& bench, const Subject& subject, const Case& c, int steps, uint64_t seed) {
  Dice dice{Stream(seed, "attack")};
  Tensors best = make_tensors(c);
  for (Tensor& t : best) t.random_signs = false;
  Verdict verdict = bench.judged_on(subject, c, best);
  Climb climb{.start = verdict.worst_share, .reached = verdict.worst_share, .term = verdict.worst_term};
  OutputElement place = verdict.worst_place;
  for (int i = 0; i < steps && verdict.outcome != Outcome::fail; i++) {
    Tensors next = changed(best, place, dice);
    verdict = bench.judged_on(subject, c, next);
    if (verdict.outcome != Outcome::pass || verdict.worst_share < climb.reached) continue;
    climb.accepted += verdict.worst_share > climb.reached;
    climb.reached = verdict.worst_share, climb.term = verdict.worst_term, place = verdict.worst_place;
    best = std::move(next);
  }
  if (verdict.outcome == Outcome::fail) climb.failure = verdict.reason;
  return climb;
}

}  // namespace assay::properties
