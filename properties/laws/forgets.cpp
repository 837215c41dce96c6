// A launch owes nothing to the ones before it of the same kernel in the same place: at the same addresses, with the workspace as it was
// left, it follows one on other contents, and does so again on another shape. Seen are results, scales, descriptors or sizes that are kept
// on the host or the device for what is only the same pointer or the same shape, and workspaces that must come zeroed.
#include <numeric>

#include "properties/laws/sequence.hpp"

namespace assay {
namespace {

Verdict check(Bench& bench, const Subject& subject, const Case& c) {
  const Run& alone = bench.run(subject, c);
  const auto shape = sequence::other_shape(bench, Stream(c.seed, "forgets"), subject, c);
  constexpr uint8_t kNan = 0xFF;
  const Arena arena = sequence::arena_for(bench.device(), {{&subject, c}, shape ? *shape : sequence::Call{&subject, c}}, kNan);
  std::vector<size_t> places(arena.blocks());
  std::iota(places.begin(), places.end(), size_t{0});
  const auto run = [&](const Case& each, const Tensors& operands) { return bench.run_in(arena, places, subject, each, operands); };
  const auto run_other_contents = [&](const Case& of) {
    const Case other = sequence::with_other_contents(of);
    run(other, make_tensors(other));
  };

  run_other_contents(c);
  const Verdict verdict =
      sequence::compared(bench, subject, c, bench.operands(c), alone, run(c, bench.operands(c)), "alone", "in the place of other contents");
  if (verdict.outcome != Outcome::pass || !shape) return verdict;
  run_other_contents(shape->problem);
  const Tensors operands = make_tensors(shape->problem);
  const Verdict other = bench.verdict_on(subject, shape->problem, operands, run(shape->problem, operands));
  if (other.outcome == Outcome::fail)
    return failed(fmt::format("then {}, in the place of other contents: {}", to_line(shape->problem), other.reason));
  return verdict;
}

const Registered<Law> registered{{
    .name = "forgets",
    .claim = "at the same addresses and with the workspace as left, calls on other contents and shapes change no bit of the next",
    .applies = [](const Subject&, const Case& c) { return sequence::applies(c); },
    .check = check,
    .any_contents = true,
    .runs_others = true,
}};

}  // namespace
}  // namespace assay
