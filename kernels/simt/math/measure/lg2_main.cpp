// assay_lg2_hypothesis <folder> [folder to write]: can lg2.approx be a table? Reads what assay_measure_math wrote to lg2/ and tests
//   lg2(2^e m) = round(e + F(m)),  F a function of the 23 mantissa bits.
// Under a rounding every measured result confines F(m) to an interval; the hypothesis holds if those of all exponents meet, for each m.
// Then any point of the meeting is a table entry that reproduces the measurement, and the grid on which F may lie shows its number of bits.
// Printed before: how far the card is from the correctly rounded value, and the finest bit that results of each size use. Printed after:
// how many results do not follow from those of exponents 0 and -1 by the model's rule,
//   lg2(2^e m) = e + lg2(m) if e >= 0, e + 1 + lg2(m / 2) if e < 0, rounded toward zero (exit code 1 if any).
// With a second folder, writes the model's tables lg2_above_one.gz and lg2_below_one.gz there, as assay_measure_math would.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "kernels/simt/math/archive.hpp"
#include "kernels/simt/math/measure/lg2.hpp"

namespace simt::measure {
namespace {

using Results = std::vector<std::uint32_t>;  // bits, one for each mantissa

struct Measured {
  Results results;
  Label label;
};

constexpr std::size_t kMantissas = 1u << 23;

double value(std::uint32_t bits) { return std::bit_cast<float>(bits); }

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  std::fprintf(stderr, "assay: %s: %s\n", path.c_str(), why.c_str());
  std::exit(2);
}

Measured read(const std::string& folder, int exponent) {
  const std::string path = folder + "/" + lg2_name(exponent) + ".gz";
  Archive archive;
  std::string why = unpack(path, kMantissas * sizeof(std::int32_t), archive);
  Results found = rounded(lg2_domain(exponent));
  if (why.empty() && archive.bytes.size() != kMantissas * sizeof(std::int32_t)) why = "it has not one difference for each mantissa";
  for (std::size_t i = 0; why.empty() && i < kMantissas; ++i) {
    std::uint32_t difference;
    std::memcpy(&difference, &archive.bytes[i * sizeof difference], sizeof difference);
    found[i] += difference;
  }
  if (why.empty() && checksum(bytes_of(found)) != archive.label.checksum) why = "the results are not those measured (checksum)";
  if (!why.empty()) refuse(path, why);
  return {std::move(found), archive.label};
}

void report_accuracy(int exponent, const Results& found) {
  const Results expected = rounded(lg2_domain(exponent));
  std::size_t wrong = 0;
  std::int32_t low = 0, high = 0;
  for (std::size_t i = 0; i < kMantissas; ++i) {
    const auto difference = static_cast<std::int32_t>(found[i] - expected[i]);
    wrong += difference != 0;
    low = std::min(low, difference), high = std::max(high, difference);
  }
  std::printf("exponent %4d: %8zu results not correctly rounded, from %d to %d ulp in magnitude\n", exponent, wrong, low, high);
}

// The weight of a result's lowest one bit, as a power of two.
int finest_bit(std::uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 23 & 255) - 127;
  return exponent - 23 + std::countr_zero((bits & 0x7fffffu) | 0x800000u);
}

void report_grid(int exponent, const Results& found) {
  std::map<int, std::pair<int, std::size_t>> finest;  // by the result's own exponent: the finest bit, and how many results
  for (const std::uint32_t bits : found) {
    if ((bits & 0x7fffffffu) == 0) continue;
    auto& [bit, count] = finest.try_emplace(static_cast<int>(bits >> 23 & 255) - 127, 1000, 0).first->second;
    bit = std::min(bit, finest_bit(bits));
    ++count;
  }
  for (const auto& [size, seen] : finest)
    std::printf("exponent %4d: results in 2^%-3d use bits down to 2^%d (%zu results)\n", exponent, size, seen.first, seen.second);
}

// The reals that a rounding takes to one result, closed: the ends are a matter of ties, and no grid of ours is fine enough to tell. (So
// every interval holds a multiple of its own width: "off the grid" says nothing about k at and above that of "F known to".)
struct Interval {
  double low = -INFINITY, high = INFINITY;

  void meet(Interval other) { low = std::max(low, other.low), high = std::min(high, other.high); }
  bool empty() const { return low > high; }
  bool holds_multiple_of(double step) const { return std::ceil(low / step) * step <= high; }
};

struct Rounding {
  const char* name;
  Interval (*preimage)(float result);
};

Interval to_nearest(float result) {
  const double x = result;
  return {(x + std::nextafter(result, -INFINITY)) / 2, (x + std::nextafter(result, INFINITY)) / 2};
}
Interval down(float result) { return {result, std::nextafter(result, INFINITY)}; }
Interval up(float result) { return {std::nextafter(result, -INFINITY), result}; }
Interval toward_zero(float result) {
  return result < 0 ? up(result) : result > 0 ? down(result) : Interval{up(result).low, down(result).high};
}

const Rounding kRoundings[] = {{"to nearest", to_nearest}, {"toward zero", toward_zero}, {"down", down}, {"up", up}};

struct Exponents {
  const char* name;
  bool (*holds)(int exponent);
};

const Exponents kExponents[] = {{"all", [](int) { return true; }},
                                {"all but 0 and -1", [](int e) { return e != 0 && e != -1; }},
                                {"0 and above", [](int e) { return e >= 0; }},
                                {"below 0", [](int e) { return e < 0; }}};

// For each mantissa the F that all results of the exponents allow.
std::vector<Interval> allowed(const std::map<int, Measured>& measured, const Exponents& exponents, const Rounding& rounding) {
  std::vector<Interval> all(kMantissas);
  for (const auto& [exponent, entry] : measured) {
    const Results& found = entry.results;
    if (!exponents.holds(exponent)) continue;
    for (std::size_t i = 0; i < kMantissas; ++i) {
      const Interval sum = rounding.preimage(static_cast<float>(value(found[i])));
      all[i].meet({sum.low - exponent, sum.high - exponent});
    }
  }
  return all;
}

void report(const Exponents& exponents, const Rounding& rounding, const std::vector<Interval>& intervals) {
  std::size_t empty = 0, first = 0;
  double widest = 0;
  for (std::size_t i = 0; i < kMantissas; ++i) {
    if (intervals[i].empty() && !empty++) first = i;
    widest = std::max(widest, intervals[i].high - intervals[i].low);
  }
  std::printf("exponents %-16s rounded %-11s: %8zu mantissas without an F", exponents.name, rounding.name, empty);
  if (empty) std::printf(", first %06zx\n", first);
  if (empty) return;
  std::printf(", F known to 2^%.1f; off the grid of 2^-k:", std::log2(widest));
  for (int k = 22; k <= 34; ++k) {
    std::size_t off = 0;
    for (const Interval& interval : intervals) off += !interval.holds_multiple_of(std::exp2(-k));
    std::printf(" k=%d %zu", k, off);
  }
  std::printf("\n");
}

void test(const std::map<int, Measured>& measured) {
  for (const Exponents& exponents : kExponents)
    for (const Rounding& rounding : kRoundings) report(exponents, rounding, allowed(measured, exponents, rounding));
}

// As lg2_ftz of device/approximation.hpp.
std::uint32_t by_rule(int exponent, const Results& above_one, const Results& below_one, std::size_t mantissa) {
  const double sum = exponent < 0 ? exponent + 1 + value(below_one[mantissa]) : exponent + value(above_one[mantissa]);
  const double cut = std::bit_cast<double>(std::bit_cast<std::uint64_t>(sum) >> 29 << 29);
  return std::bit_cast<std::uint32_t>(static_cast<float>(cut));
}

bool rule_holds(const std::map<int, Measured>& measured) {
  bool all = true;
  for (const auto& [exponent, entry] : measured) {
    std::size_t others = 0;
    for (std::size_t i = 0; i < kMantissas; ++i)
      others += entry.results[i] != by_rule(exponent, measured.at(0).results, measured.at(-1).results, i);
    std::printf("exponent %4d: %8zu results that do not follow from those of exponents 0 and -1\n", exponent, others);
    all &= others == 0;
  }
  return all;
}

void write_table(Table table, const Measured& measured, const std::string& folder) {
  const Domain& of = domain(table);
  const std::string path = folder + "/" + of.name + ".gz";
  std::vector<unsigned char> bytes;
  const std::string why = differences(of, measured.results, bytes);
  if (!why.empty()) refuse(path, why);
  Label label = measured.label;
  label.name = of.name;
  const std::vector<unsigned char> file = pack({label, bytes});
  std::ofstream stream(path, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  if (!stream.flush()) refuse(path, "cannot be written");
  std::printf("table %s: %zu bytes\n", of.name, file.size());
}

int run(const std::string& folder, const char* tables) {
  std::map<int, Measured> measured;
  for (int exponent : kLg2Exponents) measured[exponent] = read(folder, exponent);
  for (const auto& [exponent, entry] : measured) report_accuracy(exponent, entry.results);
  for (int exponent : {0, -1, 1, -2}) report_grid(exponent, measured[exponent].results);
  test(measured);
  if (!rule_holds(measured)) return 1;
  if (!tables) return 0;
  write_table(Table::lg2_above_one, measured[0], tables);
  write_table(Table::lg2_below_one, measured[-1], tables);
  return 0;
}

}  // namespace
}  // namespace simt::measure

int main(int count, char** arguments) {
  if (count == 2 || count == 3) return simt::measure::run(arguments[1], count == 3 ? arguments[2] : nullptr);
  std::fprintf(stderr, "usage: %s <folder with lg2_exponent_*.gz> [folder for the tables]\n", arguments[0]);
  return 2;
}
