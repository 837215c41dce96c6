#include "tools/damage/damage.hpp"

#include <algorithm>
#include <cstring>
#include <random>

namespace assay::tools {
namespace {

constexpr size_t kLongestBlock = 256, kDeepest = 20000;

class Damager {
 public:
  Damager(const std::vector<std::string>& whole, uint64_t seed) : dice(seed), all(whole), text(one_of(whole)) {}

  std::string work() {
    for (size_t faults = 1 + below(4); faults > 0; faults--) damage();
    return text;
  }

 private:
  std::mt19937_64 dice;  // the same everywhere, unlike the standard library's distributions
  const std::vector<std::string>& all;
  std::string text;

  size_t below(size_t n) { return n ? dice() % n : 0; }
  const std::string& one_of(const std::vector<std::string>& from) { return from[below(from.size())]; }
  size_t place() { return below(text.size() + 1); }
  size_t block() { return 1 + below(std::min(kLongestBlock, 1 + text.size() / 8)); }  // short ones in short texts, or nothing is left
  size_t length(size_t at, size_t end) { return std::min(block(), end - at); }

  void damage() {
    switch (below(12)) {
      case 0:
      case 1:
      case 2: return flip();
      case 3:
      case 4:
      case 5: return put_digits();
      case 6: return put_number();
      case 7: return swap();
      case 8: return repeat();
      case 9: return void(below(2) ? text.erase(place(), block()) : text.erase(place()));
      case 10: return overwrite();
      default: return nest();
    }
  }

  void flip() {
    for (size_t bits = 1 + below(8); bits > 0 && !text.empty(); bits--) {
      char& byte = text[below(text.size())];
      byte = char(byte ^ 1 << below(8));
    }
  }
  void swap() {
    const size_t a = place(), b = place(), n = std::min(length(a, text.size()), length(b, text.size()));
    for (size_t i = 0; i < n; i++) std::swap(text[a + i], text[b + i]);
  }
  void repeat() {
    const size_t at = place();
    const std::string block = text.substr(at, length(at, text.size()));
    for (size_t times = below(8) ? 1 : 1 + below(64); times > 0; times--) text.insert(at, block);
  }
  void overwrite() {
    const std::string& other = one_of(all);
    const size_t from = below(other.size() + 1), at = place();
    text.replace(at, length(at, text.size()), other.substr(from, length(from, other.size())));
  }
  void put_number() {  // in binary
    constexpr uint64_t kNumbers[] = {
        0, ~uint64_t{0}, 0x7FFFFFFF, uint64_t{1} << 31, uint64_t{1} << 40, uint64_t{1} << 63, (uint64_t{1} << 63) - 1};
    const uint64_t number = kNumbers[below(std::size(kNumbers))];
    const size_t at = place(), bytes = std::min(size_t{1} << below(4), text.size() - at);
    std::memcpy(text.data() + at, &number, bytes);
  }
  void put_digits() {
    constexpr const char* kDigits[] = {
        "0",   "-1",   "4294967296", "9223372036854775807", "-9223372036854775808", "99999999999999999999999", "1e308",
        "nan", "0x7f", "1e-400"};
    size_t at = place();
    while (at < text.size() && !(text[at] >= '0' && text[at] <= '9')) at++;
    size_t end = at;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') end++;
    text.replace(at, end - at, kDigits[below(std::size(kDigits))]);
  }
  void nest() {
    constexpr std::string_view kOpening = "[{(\"'=.#";
    text.insert(place(), below(kDeepest), kOpening[below(kOpening.size())]);
  }
};

}  // namespace

std::string damaged(const std::vector<std::string>& whole, uint64_t seed) { return Damager(whole, seed).work(); }

}  // namespace assay::tools
