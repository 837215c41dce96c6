#include "properties/generators/region.hpp"

#include <algorithm>
#include <bit>
#include <set>

namespace assay::properties {
namespace {

constexpr int64_t kFew = 8, kMiddle = 64, kLarge = 512;

bool has_few_values(const Parameter& p) { return p.high - p.low < kFew; }

bool is_prime(int64_t n) {
  for (int64_t d = 2; d * d <= n; d++)
    if (n % d == 0) return false;
  return n > 1;
}

bool is_power(int64_t n) { return n > 0 && std::has_single_bit(uint64_t(n)); }

std::string kind_of_extent(int64_t n) {
  if (n < 2) return std::to_string(n);
  if (n < 8) return "2..7";
  if (is_power(n)) return "2^n";
  if (is_power(n + 1)) return "2^n-1";
  if (is_power(n - 1)) return "2^n+1";
  if (n % 8 == 0) return "8n";
  return is_prime(n) ? "prime" : n % 2 ? "odd" : "even";
}

std::string kind_of_padding(int64_t n) {
  if (n == 0) return "0";
  return n % 2 ? "odd" : n % 4 ? "2n" : n % 8 ? "4n" : "8n";
}

std::string kind_of(const Parameter& p, const Value& value) {
  if (const auto* word = std::get_if<std::string>(&value)) return *word;
  if (const auto* real = std::get_if<double>(&value))
    return value == p.standard ? "standard" : *real <= p.real_low ? "least" : *real >= p.real_high ? "most" : "between";
  const int64_t n = std::get<int64_t>(value);
  if (has_few_values(p)) return std::to_string(n);
  return is_padding(p) ? kind_of_padding(n) : kind_of_extent(n);
}

int64_t rounded_to_unit(const Parameter& p, int64_t n) { return std::clamp((n + p.unit - 1) / p.unit * p.unit, p.low, p.high); }

int64_t draw_extent(const Parameter& p, const Below& below) {
  const int64_t power = int64_t{1} << below(std::bit_width(uint64_t(kLargestExtent))), beyond = power + int64_t(below(uint64_t(power)));
  switch (below(8)) {
    case 0: return below(2) ? p.low : rounded_to_unit(p, 1);
    case 1: return rounded_to_unit(p, power);
    case 2: return rounded_to_unit(p, power - 1);
    case 3: return rounded_to_unit(p, power + 1);
    case 4: return rounded_to_unit(p, std::max<int64_t>(power, 16) * 3 / 2 / 8 * 8);
    case 5: return rounded_to_unit(p, beyond / 8 * 8);
    default: return rounded_to_unit(p, beyond);
  }
}

int64_t draw_padding(const Parameter& p, const Below& below) {
  const int64_t any = 1 + int64_t(below(128)), choices[] = {0, 0, 0, any, any * 2, any * 4, any * 8};
  return std::clamp(choices[below(7)], p.low, p.high);
}

double draw_real(const Parameter& p, const Below& below) {
  switch (below(4)) {
    case 0: return p.real_low;
    case 1: return p.real_high;
    default: return p.real_low + (p.real_high - p.real_low) * double(1 + below(255)) / 256;
  }
}

/// Values that stand for the buckets of a parameter, the first of each that will do, in ascending order.
std::vector<Value> representatives(const Parameter& p, const std::function<bool(const Value&)>& will_do = {}) {
  std::vector<Value> all;
  std::set<std::string> met;
  auto add = [&](const Value& value) {
    const std::string bucket = bucket_of(p, value);
    if (!met.contains(bucket) && (!will_do || will_do(value))) met.insert(bucket), all.push_back(value);
  };
  for (const std::string& word : p.words) add(word);
  if (std::holds_alternative<double>(p.standard)) add(p.standard), add(p.real_low), add((p.real_low + p.real_high) / 2), add(p.real_high);
  const int64_t unit = std::max<int64_t>(p.unit, 1);
  if (is_whole(p))
    for (int64_t n = (p.low + unit - 1) / unit * unit; n <= std::min(p.high, kLargestExtent); n += unit) add(n);
  return all;
}

}  // namespace

std::string bucket_of(const Parameter& p, const Value& value) {
  const std::string kind = kind_of(p, value);
  const auto* n = std::get_if<int64_t>(&value);
  if (!n || has_few_values(p) || *n < kMiddle) return kind;
  if (is_padding(p) || *n >= kLarge) return kind + " large";
  return kind + " middle";
}

std::vector<std::string> buckets(const Parameter& p) {
  std::vector<std::string> all;
  for (const Value& value : representatives(p)) all.push_back(bucket_of(p, value));
  return all;
}

std::vector<std::string> legal_buckets(const Contract& contract, const Parameter& p, const Wanted& wanted) {
  auto will_do = [&](const Value& value) {
    Case alone = standard_case(contract), equal = alone;
    for (const Parameter& other : contract.parameters)
      if (is_whole(other) && is_whole(p) && !is_padding(other) && !has_few_values(other)) equal.parameters.set(other.name, value);
    for (Case* c : {&alone, &equal}) {
      c->parameters.set(p.name, value);
      if (!refusal(*c) && (!wanted || wanted(*c))) return true;
    }
    return false;
  };
  std::vector<std::string> all;
  for (const Value& value : representatives(p, will_do)) all.push_back(bucket_of(p, value));
  return all;
}

Value draw_in_regions(const Parameter& p, const Below& below) {
  if (!p.words.empty()) return p.words[below(p.words.size())];
  if (!is_whole(p)) return below(2) ? p.standard : Value{draw_real(p, below)};
  if (has_few_values(p)) return p.low + int64_t(below(uint64_t(p.high - p.low + 1)));
  return is_padding(p) ? draw_padding(p, below) : draw_extent(p, below);
}

double draw_size(const Contract& contract, double most, const Below& below) {
  constexpr int kSizes = 4;
  const uint64_t rarer = contract.product ? 2 : 4;
  uint64_t weights[kSizes], sum = 0;  // of `most` first
  for (int i = 0; i < kSizes; i++) sum += weights[i] = i == 0 ? 1 : weights[i - 1] * rarer;
  uint64_t place = below(sum);
  double size = most;
  for (int i = 0; i + 1 < kSizes && place >= weights[i]; i++) place -= weights[i], size /= 4;
  return size;
}

Case draw_anywhere(const Contract& contract, double size, double most, const Below& below, const Wanted& wanted) {
  const auto within = [&](double multiply_adds) {
    return draw_case(contract, [&](const Parameter& p) { return draw_in_regions(p, below); }, multiply_adds, below, wanted);
  };
  const Case c = within(size);
  return cost(c) <= size || size == most ? c : within(most);
}

std::vector<std::string> regions_of(const Case& c) {
  std::vector<std::string> all;
  for (const Parameter& p : c.definition().parameters) all.push_back(p.name + "=" + bucket_of(p, c.parameters.at(p.name)));
  all.push_back("fill=" + std::string(name(c.fill)));
  return all;
}

std::vector<std::string> region_pairs_of(const Case& c) {
  std::vector<std::string> kinds, all;
  for (const Parameter& p : c.definition().parameters) kinds.push_back(p.name + "=" + kind_of(p, c.parameters.at(p.name)));
  kinds.push_back("fill=" + std::string(name(c.fill)));
  for (size_t i = 0; i < kinds.size(); i++)
    for (size_t j = i + 1; j < kinds.size(); j++) all.push_back(kinds[i] + " & " + kinds[j]);
  return all;
}

std::vector<Neighbour> neighbours(const Case& c) {
  std::vector<Neighbour> all;
  const Contract& contract = c.definition();
  auto add = [&](const std::string& name, const std::string& bucket, const Case& changed) {
    if (!refusal(changed)) all.push_back({name, bucket, changed});
  };
  for (const Parameter& p : contract.parameters)
    for (const Value& value : representatives(p)) {
      if (bucket_of(p, value) == bucket_of(p, c.parameters.at(p.name))) continue;
      Case changed = c;
      changed.parameters.set(p.name, value);
      add(p.name, bucket_of(p, value), changed);
    }
  for (int fill = 0; fill < kFills; fill++) {
    if (Fill(fill) == c.fill) continue;
    Case changed = c;
    changed.fill = Fill(fill);
    add("fill", std::string(name(Fill(fill))), changed);
  }
  return all;
}

}  // namespace assay::properties
