#include "properties/identify/families.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "fixtures/fill/fill.hpp"

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

/// "dot: ...; bias: ..." by slot. Of a sum the depth alone: how its order is put in words is everybody's own.
std::vector<std::string> slots_of(const std::string& text) {
  std::vector<std::string> slots(1);
  int open = 0;  // parentheses
  for (size_t i = 0; i < text.size(); i++) {
    open += (text[i] == '(') - (text[i] == ')');
    if (open == 0 && text.compare(i, 2, "; ") == 0)
      slots.emplace_back(), i++;
    else
      slots.back() += text[i];
  }
  for (std::string& slot : slots)
    if (slot.find(" sum of depth ") != slot.npos) slot = slot.substr(0, slot.find(" ("));
  return slots;
}

/// A sum of the declared depth covers one that is no deeper.
bool covers(const std::string& declared, const std::string& found) {
  if (declared == found) return true;
  constexpr std::string_view kDepth = " sum of depth ";
  const size_t x = declared.find(kDepth), y = found.find(kDepth);
  if (x == declared.npos || y == found.npos || declared.substr(0, x) != found.substr(0, y)) return false;
  return std::stoll(declared.substr(x + kDepth.size())) >= std::stoll(found.substr(y + kDepth.size()));
}

/// What one has and the other has otherwise, main loops only if `dots_too`.
std::vector<std::string> differences(const std::string& declared, const std::string& found, bool dots_too) {
  std::vector<std::string> want = slots_of(declared), have = slots_of(found), all;
  for (auto* slots : {&want, &have})
    if (!dots_too) std::erase_if(*slots, [](const std::string& slot) { return slot.starts_with("dot: "); });
  for (const std::string& slot : have)
    if (std::ranges::none_of(want, [&](const std::string& w) { return covers(w, slot); }))
      all.push_back(fmt::format("'{}' is missing", slot));
  for (const std::string& slot : want)
    if (std::ranges::none_of(have, [&](const std::string& h) { return covers(slot, h); }))
      all.push_back(fmt::format("'{}' is not what the bits say", slot));
  return all;
}

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
  const Dot* dot = declared.dot_if_any("dot");
  const bool dots_by_bits = dot && (!dot->chains.empty() || dot->chains_of);  // whoever replays it compares it
  id.declared = declared.text();
  const bool declarable = std::ranges::any_of(survivors, [](const Candidate& c) { return c.beyond.empty(); });
  for (const Candidate& c : survivors)
    if (declarable && !c.beyond.empty())
      continue;  // the same bits, and one that can be declared has them too
    else if (const std::string text = c.text(); std::ranges::find(id.arithmetic, text) == id.arithmetic.end())
      id.arithmetic.push_back(text);
  if (id.declared.empty() || id.arithmetic.empty()) return;
  std::vector<std::string> fewest;  // differences from what comes closest
  for (size_t i = 0; i < id.arithmetic.size(); i++)
    if (auto all = differences(id.declared, id.arithmetic[i], !dots_by_bits); i == 0 || all.size() < fewest.size()) fewest = std::move(all);
  id.agreement = fewest.empty() ? Agreement::same : Agreement::contradicted;
  if (!fewest.empty()) id.disagreement = fewest.front();
}

Identification concluded(const Sieve& sieve, const Subject& subject, const Case& c) {
  Identification id{
      .problem = c, .findings = sieve.findings(), .inputs = sieve.inputs(), .elements = sieve.elements(), .candidates = sieve.candidates()};
  conclude(id, subject, sieve.survivors());
  if (sieve.empty()) id.why_not = sieve.nearest();
  return id;
}

}  // namespace assay::properties
