// Everything that a launch does stands in order on the stream that it is given. That stream does not hold up the default one, and what it
// still has to do when the launch returns puts the operands where others were: a kernel or copy on another stream has met those.
#include "properties/laws/sequence.hpp"

namespace assay {
namespace {

Verdict check(Bench& bench, const Subject& subject, const Case& c) {
  const Run& plain = bench.run(subject, c);
  if (!plain.error.empty()) return failed(plain.error);
  const Tensors before = make_tensors(sequence::with_other_contents(c));
  return sequence::compared(bench, subject, c, bench.operands(c), plain, bench.run_queued(subject, c, before, bench.operands(c)),
                            "on the default stream", "on a stream that had yet to bring the operands");
}

const Registered<Law> registered{{
    .name = "queues",
    .claim = "all of a launch happens on the stream it is given, after what was queued there before",
    .applies = [](const Subject& subject, const Case& c) { return subject.queues && sequence::applies(c); },
    .check = check,
    .any_contents = true,
}};

}  // namespace
}  // namespace assay
