#include "properties/portrait/indices.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::properties {
namespace {

// Moduli are looked for up to the widest tile that kernels here and elsewhere have.
constexpr size_t kLargestModulus = 256;
// Fewer hits of each residue are together there by chance too often to be told of it.
constexpr size_t kTelling = 8;
constexpr size_t kRanges = 6;

struct Range {
  size_t first, last;
};

std::string text_of(const Range& r) { return r.first == r.last ? std::to_string(r.first) : fmt::format("{} to {}", r.first, r.last); }

/// Runs of hits; what nobody looked at does not end one.
std::vector<Range> ranges_of(const std::vector<Seen>& all) {
  std::vector<Range> ranges;
  bool open = false;
  for (size_t i = 0; i < all.size(); i++) {
    if (all[i] == Seen::nothing) continue;
    if (all[i] == Seen::hit) {
      if (open)
        ranges.back().last = i;
      else
        ranges.push_back({i, i});
    }
    open = all[i] == Seen::hit;
  }
  return ranges;
}

std::string list_of(const std::vector<Range>& ranges) {
  std::string text;
  for (size_t i = 0; i < std::min(ranges.size(), kRanges); i++) text += (i ? ", " : "") + text_of(ranges[i]);
  return ranges.size() > kRanges ? text + fmt::format(" and {} more", ranges.size() - kRanges) : text;
}

std::string ordinal(size_t n) {
  const bool teen = n % 100 / 10 == 1;
  return std::to_string(n) + (!teen && n % 10 == 1 ? "st" : !teen && n % 10 == 2 ? "nd" : !teen && n % 10 == 3 ? "rd" : "th");
}

/// By residue: hit where any index of it was.
std::vector<Seen> folded(const std::vector<Seen>& all, size_t modulus) {
  std::vector<Seen> residues(modulus, Seen::nothing);
  for (size_t i = 0; i < all.size(); i++) residues[i % modulus] = std::max(residues[i % modulus], all[i]);
  return residues;
}

/// Every index that was looked at is hit where its residue is.
bool explains(const std::vector<Seen>& all, const std::vector<Seen>& residues) {
  for (size_t i = 0; i < all.size(); i++)
    if (all[i] == Seen::unhit && residues[i % residues.size()] == Seen::hit) return false;
  return true;
}

/// Residues that are hit, of a modulus.
struct Period {
  size_t modulus = 0, hit = 0;
  std::vector<Range> ranges;

  double share() const { return double(hit) / double(modulus); }
};

std::string periodic(const std::vector<Seen>& all) {
  const auto hits = size_t(std::ranges::count(all, Seen::hit));
  Period narrowest;  // that some of the hits' neighbours in it spoil
  for (size_t p = 2; p <= std::min(kLargestModulus, all.size() / 2); p++) {
    const std::vector<Seen> residues = folded(all, p);
    const Period period{p, size_t(std::ranges::count(residues, Seen::hit)), ranges_of(residues)};
    if (period.ranges.size() > 2 || period.hit == p || hits == period.hit) continue;
    if (explains(all, residues))
      return period.hit == 1 ? fmt::format("every {} from {}", ordinal(p), period.ranges[0].first)
                             : fmt::format("{} modulo {}", list_of(period.ranges), p);
    const bool tells = hits >= kTelling * period.hit && 4 * period.hit <= p;
    if (tells && (narrowest.modulus == 0 || period.share() < narrowest.share())) narrowest = period;
  }
  return narrowest.modulus ? fmt::format("some of those that are {} modulo {}", list_of(narrowest.ranges), narrowest.modulus) : "";
}

}  // namespace

std::string in_words(const std::vector<Seen>& all) {
  const auto hits = size_t(std::ranges::count(all, Seen::hit)), seen = all.size() - size_t(std::ranges::count(all, Seen::nothing));
  if (hits == 0) return "none";
  if (hits == seen) return fmt::format("all {}", seen);
  const std::vector<Range> ranges = ranges_of(all);
  if (ranges.size() == 1) {
    const Range r = ranges[0];
    const size_t count = r.last - r.first + 1;
    const std::string end = r.last + 1 == all.size() ? "last" : r.first == 0 ? "first" : "";
    if (end.empty()) return text_of(r);
    return count == 1 ? fmt::format("the {}, {}", end, r.first) : fmt::format("the {} {}: {}", end, count, text_of(r));
  }
  const std::string pattern = ranges.size() > 2 ? periodic(all) : "";
  return pattern.empty() ? list_of(ranges) : pattern;
}

}  // namespace assay::properties
