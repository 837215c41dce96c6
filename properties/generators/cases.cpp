#include "properties/generators/cases.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

namespace assay::properties {
namespace {

int64_t clamped(const Parameter& p, int64_t value) { return std::clamp(value, p.low, p.high); }

/// In units of the parameter, `size` of 100 reaching as far as without.
int64_t draw_extent(const Parameter& p, int size, const Below& below) {
  if (p.unit > 1) return clamped(p, p.unit * int64_t(1 + below(2 + uint64_t(size) * uint64_t(size) / uint64_t(8 * p.unit))));
  const int64_t reach = 2 + int64_t(size) * int64_t(size) / 8;
  switch (below(5)) {
    case 0: return clamped(p, int64_t(below(4)) + 1);
    case 1: return clamped(p, int64_t(std::bit_floor(1 + below(uint64_t(reach)))));
    case 2: return clamped(p, int64_t(std::bit_floor(1 + below(uint64_t(reach)))) + int64_t(below(3)) - 1);
    default: return clamped(p, 8 * (1 + int64_t(below(uint64_t(reach) / 8 + 1))));
  }
}

int64_t draw_padding(const Parameter& p, const Below& below) {
  const int64_t choices[] = {0, 0, 0, 0, 8, 1, 2, int64_t(below(64))};
  return clamped(p, choices[below(8)]);
}

Value draw_value(const Parameter& p, int size, const Below& below) {
  if (is_padding(p)) return draw_padding(p, below);
  if (is_whole(p)) return draw_extent(p, size, below);
  if (!p.words.empty()) return p.words[below(p.words.size())];
  return below(4) ? p.standard : Value{p.real_low};
}

std::vector<int64_t> divisors(int64_t n) {
  std::vector<int64_t> found;
  for (int64_t d = 1; d * d <= n; d++)
    if (n % d == 0) {
      found.push_back(d);
      if (d != n / d) found.push_back(n / d);
    }
  std::sort(found.begin(), found.end());
  return found;
}

bool legal(const Case& c) { return !refusal(c); }

/// Makes a case legal by giving one whole number at a time another value: divisors of the others, and nearby multiples of 8 and of 2.
std::optional<Case> repaired(const Case& c) {
  if (legal(c)) return c;
  const Contract& contract = c.definition();
  for (const Parameter& p : contract.parameters) {
    if (!is_whole(p) || is_padding(p)) continue;
    const int64_t value = c.parameters.whole(p.name);
    const int64_t unit = std::max<int64_t>(p.unit, 8);
    std::vector<int64_t> candidates{(value + unit - 1) / unit * unit, value / unit * unit, value / 2 * 2};
    for (const Parameter& other : contract.parameters)
      if (is_whole(other) && !is_padding(other) && other.name != p.name) {
        const int64_t n = c.parameters.whole(other.name);
        if (n > 0)
          for (int64_t d : divisors(n))
            if (d <= value) candidates.insert(candidates.begin(), d);   // the largest that is not above it comes first
      }
    for (int64_t candidate : candidates) {
      Case changed = c;
      changed.parameters.set(p.name, candidate);
      if (legal(changed)) return changed;
    }
  }
  return {};
}

/// Decreases strictly along every shrink, so that shrinking ends: the sum of whole numbers, then what differs from its standard value, then
/// the fill, then the seed.
std::tuple<uint64_t, int, int, uint64_t> complexity(const Case& c) {
  uint64_t sum = 0;
  int unusual = 0;
  for (const Parameter& p : c.definition().parameters) {
    if (is_whole(p)) sum += uint64_t(c.parameters.whole(p.name));
    else unusual += c.parameters.at(p.name) != p.standard;
  }
  return {sum, unusual, int(c.fill), c.seed};
}

/// Elements that a row costs as much as, however short: kernels that take rows one by one give each a block of some 256 threads, and to the
/// emulator a thread is as much work as an element.
constexpr double kRow = 256;

}  // namespace

bool is_whole(const Parameter& p) { return std::holds_alternative<int64_t>(p.standard); }
bool is_padding(const Parameter& p) { return is_whole(p) && p.low == 0 && std::get<int64_t>(p.standard) == 0; }

double cost(const Case& c) {
  double elements = 0;
  for (const TensorSpec& spec : c.definition().tensors(c.parameters)) elements += double(spec.rows()) * std::max(double(spec.width()), kRow);
  return std::max(c.definition().work(c.parameters).multiply_adds, elements);
}

Case draw_case(const Contract& contract, int size, double multiply_adds, const Below& below, const Wanted& wanted) {
  return draw_case(contract, [&](const Parameter& p) { return draw_value(p, size, below); }, multiply_adds, below, wanted);
}

Case draw_case(const Contract& contract, const DrawValue& draw, double multiply_adds, const Below& below, const Wanted& wanted) {
  for (int attempt = 0; attempt < 200; attempt++) {
    Case c = standard_case(contract);
    for (const Parameter& p : contract.parameters) c.parameters.set(p.name, draw(p));
    c.fill = Fill(below(kFills));
    c.seed = below(uint64_t{1} << 32);
    const auto fixed = repaired(c);
    if (fixed && cost(*fixed) <= multiply_adds && (!wanted || wanted(*fixed))) return *fixed;
  }
  return standard_case(contract);
}

std::vector<Case> simpler(const Case& c) {
  std::vector<Case> cases;
  auto add = [&](const Case& candidate) {
    if (auto fixed = repaired(candidate); fixed && complexity(*fixed) < complexity(c) && std::find(cases.begin(), cases.end(), *fixed) == cases.end())
      cases.push_back(*fixed);
  };
  auto add_with = [&](const std::string& name, Value value) {
    Case candidate = c;
    candidate.parameters.set(name, std::move(value));
    add(candidate);
  };
  for (const Parameter& p : c.definition().parameters) {
    if (c.parameters.at(p.name) != p.standard) add_with(p.name, p.standard);
    if (!is_whole(p)) continue;
    const int64_t value = c.parameters.whole(p.name), least = std::max<int64_t>(p.low, is_padding(p) ? 0 : 1);
    auto add_smaller = [&](int64_t smaller) {
      if (smaller >= least && smaller < value) add_with(p.name, smaller);
    };
    for (int64_t smaller : {least, value / 2, value / 2 / 8 * 8, value / 2 / p.unit * p.unit}) add_smaller(smaller);
    // Where half is too little, a quarter less, an eighth less, ...: what needs a large extent is reached in few steps all the same.
    for (int64_t less = (value - least) / 4; less > 8; less /= 2) add_smaller((value - less) / p.unit * p.unit);
    for (int64_t smaller : {value - p.unit, value - 8, value - 1}) add_smaller(smaller);
  }
  for (int fill = 0; fill < int(c.fill); fill++) {
    Case candidate = c;
    candidate.fill = Fill(fill);
    add(candidate);
  }
  for (uint64_t seed : {uint64_t{0}, c.seed / 2, c.seed - 1})
    if (seed < c.seed) {
      Case candidate = c;
      candidate.seed = seed;
      add(candidate);
    }
  return cases;
}

}  // namespace assay::properties
