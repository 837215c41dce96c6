// An attack on a bound: climbs, element by element, towards operands on which a right kernel uses as much of its bound as it can. Sampling
// shows that a bound holds where one looks; an attack looks where it is weakest.
#pragma once
#include "fixtures/bench/bench.hpp"

namespace assay::properties {

struct Climb {
  double start = 0, reached = 0;   // largest share of the bound: of the case as filled, and at the top
  Term term = Term::accumulate;    // what dominates the bound there
  int accepted = 0;                // changes that went up
  std::string failure;             // empty, or what the judge said of operands beyond the bound
};

/// `steps` changes of one to a row of operand elements each: to a neighbouring code, to another element's, or to a random one of the same
/// sign and magnitude. Each is kept if the worst share of the bound does not fall; operands whose bound proves nothing (Untrusted) are
/// passed over. Stops at a failure. No tensor counts as one of random signs: that bound speaks of signs drawn independently of everything
/// else, and a climb chooses its elements by what they do to one another.
Climb attack(Bench&, const Subject&, const Case&, int steps, uint64_t seed);

}  // namespace assay::properties
