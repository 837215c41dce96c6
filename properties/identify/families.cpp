#include "properties/identify/families.hpp"

#include <algorithm>
#include <cmath>

#include "fixtures/fill/fill.hpp"
#include "properties/identify/agreement.hpp"

namespace assay::properties {
namespace {

uint64_t nearest_even(Format f, double x) { return encode(f, x); }

/// The code between x and zero, or of x.
uint64_t toward_zero(Format f, double x) {
  const uint64_t code = encode(f, x);
  if (!std::isfinite(x) || std::fabs(decode(f, code)) <= std::fabs(x)) return code;
  return x > 0 ? next_down(f, code) : next_up(f, code);
}

/// To nearest; a value half-way between two goes to the larger.
uint64_t ties_away(Format f, double x) {
  const uint64_t low = toward_zero(f, x);
  if (!std::isfinite(x) || decode(f, low) == x) return low;
  const uint64_t high = x > 0 ? next_up(f, low) : next_down(f, low);
  const double a = decode(f, low),
               b = std::isinf(decode(f, high)) ? 2 * a - decode(f, x > 0 ? next_down(f, low) : next_up(f, low)) : decode(f, high);
  return std::fabs(x - a) < std::fabs(b - x) ? low : high;
}

constexpr int kInputsOfAFill = 3;

}  // namespace

const std::vector<OutputRounding>& output_roundings() {
  static const std::vector<OutputRounding> all{
      {"to nearest even", nearest_even}, {"toward zero", toward_zero}, {"to nearest, ties away", ties_away}};
  return all;
}

Input drawn(const Case& c, Fill fill, uint64_t seed) {
  Case of = c;
  of.fill = fill, of.seed = seed;
  return {to_line(of), make_tensors(of)};
}

void sift(Sieve& sieve, const Case& c, const std::vector<Fill>& fills, int tries) {
  for (Fill fill : fills)
    for (uint64_t i = 0; i < kInputsOfAFill; i++) sieve.compare(drawn(c, fill, c.seed + i));
  sieve.separate([&](uint64_t i) { return drawn(c, fills[i % fills.size()], c.seed + kInputsOfAFill + i); }, tries);
}

void conclude(Identification& id, const Subject& subject, const std::vector<Candidate>& survivors) {
  const bool declares = subject.arithmetic && subject.declared;  // otherwise what is assumed of it is nobody's claim
  const Arithmetic declared = declares ? subject.arithmetic(id.problem.parameters) : Arithmetic();
  id.declared = declared.text();
  const bool declarable = std::ranges::any_of(survivors, [](const Candidate& c) { return c.beyond.empty(); });
  std::optional<Comparison> closest;
  for (const Candidate& c : survivors) {
    if (declarable && !c.beyond.empty()) continue;  // the same bits, and one that can be declared has them too
    if (const std::string text = c.text(); std::ranges::find(id.arithmetic, text) == id.arithmetic.end()) id.arithmetic.push_back(text);
    const Comparison is = compared(declared, c);
    auto distance = [](const Comparison& x) { return std::pair(x.contradicted.size(), x.wider); };
    if (!closest || distance(is) < distance(*closest)) closest = is;
  }
  if (id.declared.empty() || !closest) return;
  id.agreement = closest->wider ? Agreement::wider : Agreement::same;
  if (closest->contradicted.empty()) return;
  id.agreement = Agreement::contradicted;
  id.disagreement = closest->contradicted.front();
}

Identification concluded(const Sieve& sieve, const Subject& subject, const Case& c) {
  Identification id{
      .problem = c, .findings = sieve.findings(), .inputs = sieve.inputs(), .elements = sieve.elements(), .candidates = sieve.candidates()};
  conclude(id, subject, sieve.survivors());
  if (sieve.empty()) id.why_not = sieve.nearest();
  return id;
}

}  // namespace assay::properties
