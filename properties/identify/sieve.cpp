#include "properties/identify/sieve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace assay::properties {
namespace {

bool same_code(Format f, uint64_t x, uint64_t y) {
  if (x == y) return true;
  if (!info(f).floating) return false;
  if (is_nan(f, x) || is_nan(f, y)) return is_nan(f, x) && is_nan(f, y);
  return decode(f, x) == decode(f, y);  // zeros of either sign
}

struct Difference {
  int64_t elements = 0, differing = 0;
  std::string first;
};

std::string shown(Format f, uint64_t code) { return fmt::format("{:.9g} ({:0{}x})", decode(f, code), code, info(f).bits / 4); }

Difference difference(const std::vector<OutputCode>& wanted, const Tensors& found) {
  Difference d;
  for (const OutputCode& want : wanted) {
    const Tensor& have = tensor(found, want.tensor);
    const Format f = have.spec.format;
    const uint64_t code = have.code(want.row, want.column);
    d.elements++;
    if (same_code(f, code, want.code)) continue;
    if (d.differing++ == 0)
      d.first = fmt::format("{}[{}, {}] is {}, this gives {}", want.tensor, want.row, want.column, shown(f, code), shown(f, want.code));
  }
  return d;
}

}  // namespace

Sieve::Sieve(Bench& bench, const Subject& subject, const Case& problem, std::vector<std::string> dimensions,
             std::vector<Candidate> candidates)
    : bench(bench), subject(subject), problem(problem), dimensions(std::move(dimensions)), all(std::move(candidates)) {
  for (size_t i = 0; i < all.size(); i++) left.push_back(i);
}

void Sieve::compare(const Input& input) {
  const Run run = bench.run_on(subject, problem, input.operands);
  if (!run.error.empty()) throw BadInput(fmt::format("{} on {}: {}", subject.name, input.name, run.error));
  std::vector<size_t> agreeing;
  int64_t elements = 0;
  for (size_t i : left) {
    const Difference d = difference(all[i].outputs(input.operands), run.outputs);
    elements = d.elements;
    if (d.differing == 0)
      agreeing.push_back(i);
    else
      dropped.push_back({i, inputs_run, d.differing, input.name, d.first});
  }
  left = std::move(agreeing);
  inputs_run++, compared += elements;
}

void Sieve::separate(const std::function<Input(uint64_t seed)>& drawn, int tries) {
  for (int tried = 0, seed = 0; left.size() > 1 && tried < tries; tried++, seed++) {
    const Input input = drawn(uint64_t(seed));
    const std::vector<OutputCode> first = all[left[0]].outputs(input.operands);
    const bool apart = std::any_of(left.begin() + 1, left.end(), [&](size_t i) { return all[i].outputs(input.operands) != first; });
    if (apart) compare(input), tried = 0;
  }
}

void Sieve::tell_apart(const std::function<std::optional<Input>(const std::vector<Candidate>& left, uint64_t seed)>& made, int tries) {
  for (uint64_t seed = 0; left.size() > 1 && seed < uint64_t(tries); seed++)
    if (const auto input = made(survivors(), seed)) compare(*input);
}

std::vector<Candidate> Sieve::survivors() const {
  std::vector<Candidate> some;
  for (size_t i : left) some.push_back(all[i]);
  return some;
}

std::vector<Trait> Sieve::findings() const {
  std::vector<Trait> findings;
  for (size_t d = 0; d < dimensions.size(); d++) {
    Trait f{.name = dimensions[d]};
    std::vector<std::pair<int64_t, Contradiction>> against;  // by input: what held out longest says most
    std::set<std::string> met;
    for (size_t i : left)
      if (met.insert(all[i].choices[d]).second) f.found.push_back(all[i].choices[d]);
    // A choice is contradicted by what dropped the candidate that differs from a surviving one in it alone.
    for (const Candidate& c : all) {
      if (!met.insert(c.choices[d]).second) continue;
      auto alone = [&](const Dropped& x) {
        const auto& choices = all[x.candidate].choices;
        return choices[d] == c.choices[d] && std::ranges::any_of(left, [&](size_t i) {
                 for (size_t e = 0; e < dimensions.size(); e++)
                   if (e != d && all[i].choices[e] != choices[e]) return false;
                 return true;
               });
      };
      const auto x = std::ranges::find_if(dropped, alone);
      if (x != dropped.end())
        against.push_back({x->input, {c.choices[d], x->name, x->difference}});
      else
        f.untold.push_back(c.choices[d]);
    }
    std::ranges::stable_sort(against, std::greater<>(), [](const auto& a) { return a.first; });
    for (auto& [input, contradiction] : against) f.contradicted.push_back(std::move(contradiction));
    findings.push_back(std::move(f));
  }
  return findings;
}

std::string Sieve::nearest() const {
  if (dropped.empty()) return "there was no candidate";
  const auto best = std::ranges::min_element(dropped, {}, [](const Dropped& x) { return std::pair(-x.input, x.differing); });
  std::string text;
  for (size_t d = 0; d < dimensions.size(); d++)
    if (all[best->candidate].choices[d] != "none")
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", dimensions[d], all[best->candidate].choices[d]);
  return fmt::format("nearest was {}; contradicted by {}: {}", text, best->name, best->difference);
}

}  // namespace assay::properties
