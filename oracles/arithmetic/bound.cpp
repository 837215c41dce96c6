#include "oracles/arithmetic/bound.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay {

std::string_view name(Term t) {
  switch (t) {
    case Term::accumulate: return "accumulate";
    case Term::promote: return "promote";
    case Term::combine: return "combine";
    case Term::function: return "function";
    case Term::operation: return "operation";
    case Term::intermediate: return "intermediate";
    case Term::underflow: return "underflow";
  }
  return "?";
}

std::string_view derivation(Term t) {
  switch (t) {
    case Term::accumulate:
      return "((1+u)^h - 1) * sum|t_k| for a sum in which no term passes more than h roundings; on tensor cores the bits that alignment cuts off each "
             "term and rounding off each partial sum, along the declared order; 0 if every partial sum is representable";
    case Term::promote: return "u * |scale * partial| for a rounded scale, half an ulp of the wider accumulator for each addition to it";
    case Term::combine: return "half an ulp of each part in the format it is stored in, half an ulp of the running sum for each addition";
    case Term::function: return "declared error of the function, relative to its result at the rounded argument";
    case Term::operation: return "((1+u)^n - 1) * |result| for n roundings to nearest; 0 if the result is representable";
    case Term::intermediate: return "half the width of the interval of values that the rounding to the narrow format may give";
    case Term::underflow: return "half a subnormal step for each rounding that may be subnormal; the whole value where an intermediate may overflow to a zero result";
  }
  return "?";
}

double Bound::total() const {
  double sum = 0;
  for (double x : of) sum += x;
  return sum;
}

Term Bound::dominant() const { return static_cast<Term>(std::max_element(of.begin(), of.end()) - of.begin()); }

double Bound::outside_sums() const {
  return of[size_t(Term::function)] + of[size_t(Term::operation)] + of[size_t(Term::intermediate)] + of[size_t(Term::underflow)];
}

Bound& Bound::operator+=(const Bound& other) {
  for (int i = 0; i < kTerms; i++) of[size_t(i)] += other.of[size_t(i)];
  return *this;
}

Bound Bound::operator*(double factor) const {
  Bound scaled = *this;
  for (double& x : scaled.of) x = x == 0 ? 0 : x * factor;   // 0 * infinity would be NaN
  return scaled;
}

std::string to_text(const Bound& bound) {
  std::string text;
  for (int i = 0; i < kTerms; i++)
    if (bound.of[size_t(i)] > 0) text += fmt::format("{}{} {:.3g}", text.empty() ? "" : " + ", name(static_cast<Term>(i)), bound.of[size_t(i)]);
  return text.empty() ? "0" : fmt::format("{} = {:.3g}", text, bound.total());
}

}  // namespace assay
