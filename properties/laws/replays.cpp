// A launch can be captured into a CUDA graph, and each replay computes on what the operands hold then, with the workspace as the replay
// before left it. Seen are calls that a capture forbids (allocating, synchronising, copies that are not queued), work on another stream,
// and whatever the host read from the device when it was captured.
#include "properties/laws/sequence.hpp"

namespace assay {
namespace {

Verdict check(Bench& bench, const Subject& subject, const Case& c) {
  const Run& plain = bench.run(subject, c);
  if (!plain.error.empty()) return failed(plain.error);
  const Case other = sequence::with_other_contents(c);
  const std::vector<Tensors> contents{bench.operands(c), make_tensors(other)};
  const Run plain_other = bench.run_on(subject, other, contents[1]);
  const std::vector<Run> runs = bench.replay(subject, c, contents);
  if (runs.size() < contents.size()) return failed("captured into a graph: " + runs[0].error);
  Verdict verdict = sequence::compared(bench, subject, other, contents[1], plain_other, runs[1], "launched", "replayed on other contents");
  if (verdict.outcome == Outcome::pass)
    verdict += sequence::compared(bench, subject, c, contents[0], plain, runs[0], "launched", "replayed again, on the first contents");
  return verdict;
}

const Registered<Law> registered{{
    .name = "replays",
    .claim = "captured into a graph, every replay gives the bits of a launch on what the operands then hold",
    .applies = [](const Subject& subject, const Case& c) { return subject.queues && sequence::applies(c); },
    .check = check,
    .any_contents = true,
}};

}  // namespace
}  // namespace assay
