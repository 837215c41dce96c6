// A contract: an operation, defined once and independently of any kernel. Its parameters, its tensors, and for each of its outputs the
// exact value of every element on the operands' very bytes, with the bound that a declared arithmetic gives.
//
// A contract is a list of steps. A later step is judged on what the kernel itself emitted in the earlier ones, so an error is named where
// it happens. The exact value comes in FP64 with a stated radius first; where that leaves the verdict open, to 100 digits.
#pragma once
#include <functional>
#include <limits>
#include <optional>

#include "oracles/arithmetic/arithmetic.hpp"
#include "oracles/arithmetic/bound.hpp"
#include "oracles/parameters.hpp"
#include "oracles/registry.hpp"
#include "oracles/tensor.hpp"

namespace assay {

/// What one element should be. `value` may be an infinity or NaN where the operation gives one.
struct Expected {
  double value = 0, radius = 0;
  Bound bound;
  bool inside = true;   // false: outside the domain in which no intermediate overflows or underflows; only bits and safety are checked
  double magnitude = 0;   // of a product: the sum of the magnitudes of its terms
  double drift = 0;       // the error to be expected of it, signed: what sums that round toward zero lose on the way (dot_bound.hpp)
  bool drifts_unknown = false;   // sums round toward zero in an order that nobody declared
  /// The standard deviation around the drift that its error before the last rounding is expected to have; NaN where nothing is known of it.
  double spread = std::numeric_limits<double>::quiet_NaN();
  double within = 1;       // drift and spread are right within this factor
  double systematic = 0;   // the part of the bound that may err to one side in every element, as the error of a shared scale does
};

/// The same without any doubt left: the ends of the interval that the bound allows, before rounding to the output's format.
struct Decided {
  Exact low, high;
  double value = 0;
  Bound bound;
};

/// Exact values of a block of elements, row by row, each within its radius; no bounds.
struct Values {
  int64_t first_row = 0, first_column = 0, rows = 0, columns = 0;
  std::span<const double> value, radius;
};

/// The exact side of one step for one set of operands. Its functions may be called from several threads at once.
struct Oracle {
  /// The same columns of several rows of the step's tensor, row by row.
  std::function<void(std::span<const int64_t> rows, std::span<const int64_t> columns, std::span<Expected>)> expect;
  /// One element that `expect` left open. Only called for finite values inside the domain.
  std::function<Decided(int64_t row, int64_t column)> decide;
  /// Values of all elements of columns [first, end), block by block in `memory` bytes or so. Ten times as fast as `expect` (fixtures/judge/
  /// judge_benchmark.cpp), for outputs too large for it: what rounds to the value is right under every bound. Null where there is no such way.
  std::function<void(int64_t first, int64_t end, int64_t memory, const std::function<void(const Values&)>&)> sweep{};
};

/// Oracle::expect where rows have nothing in common.
std::function<void(std::span<const int64_t>, std::span<const int64_t>, std::span<Expected>)> by_row(
    std::function<void(int64_t row, std::span<const int64_t> columns, std::span<Expected>)>);

/// What a step's oracle may look at.
struct Problem {
  const Parameters& parameters;
  const Tensors& before;   // all tensors as the kernel got them
  const Tensors& after;    // the outputs as the kernel left them: earlier steps' results
  const Arithmetic& arithmetic;
};

enum class Compare : uint8_t { value, bits };   // bits: a copy, -0 and NaN payloads included

struct Step {
  std::string name;
  std::string tensor;
  Compare compare = Compare::value;
  bool signed_zero = false;   // the sign of a zero is part of the result; elsewhere +0 and -0 are equal
  std::function<Oracle(const Problem&)> prepare;   // compare == value
  std::function<uint64_t(const Problem&, int64_t row, int64_t column)> expected_code;   // compare == bits
  /// The columns it judges: [first, end).
  std::function<std::pair<int64_t, int64_t>(const Parameters&)> columns;
};

/// Those columns, of a tensor that is `width` wide.
std::pair<int64_t, int64_t> columns_of(const Step&, const Parameters&, int64_t width);

/// What every element of a step that compares values should be, row by row.
void for_each_expected(const Step&, const Oracle&, const Parameters&, const TensorSpec&,
                       const std::function<void(int64_t row, int64_t column, const Expected&)>& visit);

/// Bytes that must move at least once, floating-point operations, and multiply-adds (element operations where there is no product), which
/// is what suites are budgeted in.
struct Work {
  double bytes = 0, flops = 0, multiply_adds = 0;
};

/// Uniform random bits for element `index` of stream `stream`: the same on every machine.
using RandomBits = std::function<uint64_t(uint32_t stream, uint64_t index)>;

/// What the laws of matrix products need to know: y[m][n] = f(sum_k x[m][k] * w[n][k]).
struct MatrixProduct {
  /// A tensor and which of its dimensions (0: rows, 1: columns) runs along the one in question, where it has that length.
  struct Along {
    std::string tensor;
    int dimension = 0;
  };
  std::string x = "x", y = "y";
  std::vector<Along> m;   // x and y left out: what else moves with a row of x
  std::vector<Along> n;   // y left out: what moves with a column of y; empty where columns are packed together
  std::string scaled = "x";   // multiplying its rows (m) by a power of two multiplies those of y
  std::function<bool(const Parameters&)> homogeneous;   // f(c v) = c f(v) for c = -1 and powers of two; null: always
};

/// An index that the operation treats alike wherever it stands: rearranged in these tensors, it is rearranged in the results and changes
/// nothing else, but for the order of sums that a subject declares to depend on it.
struct Alike {
  struct Moves {
    std::string tensor;
    int64_t inner = 1;  // elements, counted row by row, that one step of the index spans
  };
  std::string what;  // "tokens"
  int64_t count = 0;
  std::vector<Moves> moves;
};

/// A row of an input.
struct InputRow {
  std::string tensor;
  int64_t row = 0;
};

/// A whole-number parameter that the shape of an operand tells.
struct FromShape {
  using Of = std::function<int64_t(int64_t length, const Parameters&)>;
  std::string parameter, tensor;
  int dimension = 0;
  Of of{};   // what the dimension's length makes it, given the parameters before it; null: the length itself
};
FromShape::Of times(int64_t factor);
FromShape::Of divided(int64_t by);
FromShape::Of parts_of(std::string parameter);   // the length is a number of equal parts, of this size; the parameter itself if there are none

/// A stage that an implementation of a contract may declare.
struct Slot {
  std::string name;
  Stage assumed;            // of an implementation that declares nothing, and of one that leaves out a slot that is needed
  bool needed = true;       // false: left out, there is no such rounding
  bool either = false;      // a materialising rounding or a count of roundings, whichever `assumed` is; otherwise its kind alone
  bool takes(const Stage&) const;
  std::string kinds() const;   // "a count of roundings or a rounding to a format"
};

struct Contract {
  std::string name;
  std::string formula;   // one line
  std::vector<Parameter> parameters;
  /// Why these values together are no legal problem, e.g. a group that does not divide K; in one line.
  std::function<std::optional<std::string>(const Parameters&)> refuses;
  std::function<std::vector<TensorSpec>(const Parameters&)> tensors;
  std::vector<FromShape> from_shapes{};   // of one parameter the first whose tensor is at hand; where operands of a case come from elsewhere
  bool exact_fill = true;   // false: no operands make its results representable, and law `exact` says nothing about it
  std::vector<Step> steps;
  std::function<Work(const Parameters&)> work;
  /// Overwrites the contents of fill `exact` where small whole numbers and powers of two do not make every partial sum representable.
  std::function<void(const Parameters&, const RandomBits&, Tensors&)> exact_contents;
  std::optional<MatrixProduct> product;                          // says which indices of a product are alike
  std::function<std::vector<Alike>(const Parameters&)> alike{};  // of other operations; null: none
  /// Rows of inputs on which no result depends, given the other operands: of a cache, those that nobody names. Null: there are none.
  std::function<std::vector<InputRow>(const Parameters&, const Tensors&)> unused{};
  /// Parameters that say what is computed on the same operands (a bias is added, zero points are subtracted): at another value, another
  /// operation.
  std::vector<std::string> switches{};
  /// What may be declared of these parameters; null: nothing is rounded but the result. Assumptions cover every implementation in FP32 with
  /// the toolkit's functions and the card's approximations of them (assumed.hpp).
  std::function<std::vector<Slot>(const Parameters&)> slots;
};

/// Whole-number parameter; legal values are multiples of `unit`, at least where the contract refuses nothing for another reason.
Parameter whole(std::string name, int64_t low, int64_t high, int64_t standard, std::string meaning, int64_t unit = 1);
Parameter real(std::string name, double low, double high, double standard, std::string meaning);
Parameter word(std::string name, std::vector<std::string> words, std::string meaning);   // the first is the standard

}  // namespace assay
