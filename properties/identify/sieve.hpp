// Candidates against a kernel's bits. Each input runs once; candidates that differ from the result in an element drop out, and the first
// input that did it is kept. Inputs on which all that are left agree are not run.
#pragma once
#include <functional>

#include "properties/identify/identify.hpp"

namespace assay::properties {

/// What a candidate gives for some operands: codes of those elements of outputs that it speaks of, always the same ones.
struct OutputCode {
  std::string_view tensor;
  int64_t row = 0, column = 0;
  uint64_t code = 0;
  bool operator==(const OutputCode&) const = default;
};

struct Candidate {
  std::vector<std::string> choices;  // one for each dimension; "none" where it has nothing to choose
  std::function<std::vector<OutputCode>(const Tensors& operands)> outputs;
  Arithmetic arithmetic;           // how it is declared; may be left empty until the last sieve
  std::string beyond;              // what of it the contract has no slot for, so that it is another function; empty: nothing
  bool tells_contraction = false;  // whether it has a multiply-add that is fused or not

  std::string text() const { return beyond.empty() ? arithmetic.text() : arithmetic.text() + "; beyond the contract: " + beyond; }
};

/// Operands to compare on, and a line that says what they are.
struct Input {
  std::string name;
  Tensors operands;
};

class Sieve {
 public:
  Sieve(Bench&, const Subject&, const Case&, std::vector<std::string> dimensions, std::vector<Candidate>);

  /// Runs the kernel and drops what differs. Where candidates are told apart or not, the input counts.
  void compare(const Input&);
  /// Draws inputs until one candidate is left or `tries` in a row tell none apart; only those that do are run.
  void separate(const std::function<Input(uint64_t seed)>&, int tries);
  /// The same of inputs that are made for the candidates that are left; nothing where none can be made.
  void tell_apart(const std::function<std::optional<Input>(const std::vector<Candidate>& left, uint64_t seed)>&, int tries);

  bool empty() const { return left.empty(); }
  /// Candidates that every input agrees with.
  std::vector<Candidate> survivors() const;
  /// By dimension: what is left of its choices, and which input spoke against the others.
  std::vector<Trait> findings() const;
  /// The one that held out longest, and what ended it: for kernels that none reproduces.
  std::string nearest() const;
  int64_t inputs() const { return inputs_run; }
  int64_t elements() const { return compared; }
  int64_t candidates() const { return int64_t(all.size()); }

 private:
  struct Dropped {
    size_t candidate;
    int64_t input, differing;
    std::string name, difference;
  };
  Bench& bench;
  const Subject& subject;
  Case problem;
  std::vector<std::string> dimensions;
  std::vector<Candidate> all;
  std::vector<size_t> left;
  std::vector<Dropped> dropped;
  int64_t inputs_run = 0, compared = 0;
};

}  // namespace assay::properties
