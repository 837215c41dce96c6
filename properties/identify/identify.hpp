// Which arithmetic an unknown kernel has: candidates are computed on the host, bit for bit, beside the kernel, and those that differ from
// it in one element are out. What is left is what may be declared.
//
// A family knows the candidates of some contracts (one file each) and the inputs that tell them apart; sieve.hpp does the rest. The
// subject's own declaration takes no part; it is compared with what was found.
#pragma once
#include <string>
#include <vector>

#include "fixtures/bench/bench.hpp"

namespace assay::properties {

/// One choice that bits spoke against, and the first input that did.
struct Contradiction {
  std::string choice;
  std::string input;       // a case line, and what was made of its operands
  std::string difference;  // "y[3, 5] is 0.0625 (3d80), this would give 0.0627 (3d81)"
};

/// One thing that an implementation can do in several ways.
struct Trait {
  std::string name;
  std::vector<std::string> found;  // choices that all bits agree with; more than one: the inputs did not tell them apart
  std::string evidence;            // how else it was seen; may be empty
  std::vector<Contradiction> contradicted;
  std::vector<std::string> untold;  // choices that were ruled out only together with others
};

/// Wider: the declaration holds, and allows more than was found.
enum class Agreement : uint8_t { none, same, wider, contradicted };

struct Identification {
  Case problem;  // the shape that it holds for
  std::vector<Trait> findings;
  std::vector<std::string> arithmetic;  // texts of declarations that reproduce every bit, as `assay list` prints them
  std::string why_not;                  // one line, if there are none
  int64_t inputs = 0, elements = 0;     // compared
  int64_t candidates = 0;
  std::string declared;                   // the subject's own text
  Agreement agreement = Agreement::none;  // none: there is nothing to compare
  std::string disagreement;               // contradicted: by what

  bool identified() const { return !arithmetic.empty(); }
};

/// What is known of some contracts.
struct Family {
  std::string name;                 // of a contract
  std::vector<std::string> shapes;  // case lines looked at by default
  std::function<Identification(Bench&, const Subject&, const Case&)> identify;
};

/// The family of a contract; null: none is known.
const Family* family_of(const std::string& contract);
std::vector<std::string> identifiable_contracts();

/// Looks at a subject on one shape (the case's fill and seed start the inputs). Throws BadInput where the subject does not take the case.
Identification identify(Bench&, const Subject&, const Case&);

}  // namespace assay::properties
