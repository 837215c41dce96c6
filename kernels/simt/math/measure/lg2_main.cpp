// assay_lg2_hypothesis <folder>: can lg2.approx be a table? Reads what assay_measure_math wrote to lg2/ and tests the hypothesis
//   lg2(2^e m) = round(e + F(m)),  F a function of the 23 mantissa bits on a fixed grid,
// for F read from exponent 0 (F = result), from -1 (F = 1 + result), and from whichever of the two has the finer ulp, under four roundings.
// A line with 0 mismatches everywhere is the model. Before that: how far the card is from the correctly rounded value, and the finest bit
// that results of each size use, which shows the grid.
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "kernels/simt/math/archive.hpp"
#include "kernels/simt/math/measure/lg2.hpp"

namespace simt::measure {
namespace {

using Results = std::vector<std::uint32_t>;  // bits, one for each mantissa

constexpr std::size_t kMantissas = 1u << 23;

double value(std::uint32_t bits) { return std::bit_cast<float>(bits); }

Results read(const std::string& folder, int exponent) {
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
  if (why.empty()) return found;
  std::fprintf(stderr, "assay: %s: %s\n", path.c_str(), why.c_str());
  std::exit(2);
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

struct Rounding {
  const char* name;
  float (*apply)(double);
};

float toward_zero(double x) {
  const auto near = static_cast<float>(x);
  return std::fabs(static_cast<double>(near)) > std::fabs(x) ? std::nextafter(near, 0.0f) : near;
}
float down(double x) {
  const auto near = static_cast<float>(x);
  return near > x ? std::nextafter(near, -INFINITY) : near;
}
float up(double x) { return -down(-x); }

const Rounding kRoundings[] = {{"to nearest", [](double x) { return static_cast<float>(x); }},
                               {"toward zero", toward_zero},
                               {"down", down},
                               {"up", up}};

struct Mantissas {
  const char* name;
  std::vector<double> part;
};

std::array<Mantissas, 3> candidates(const Results& zero, const Results& minus_one) {
  std::array<Mantissas, 3> all{{{"exponent 0", {}}, {"1 + exponent -1", {}}, {"the finer of both", {}}}};
  for (std::size_t i = 0; i < kMantissas; ++i) {
    const double first = value(zero[i]), second = 1 + value(minus_one[i]);
    all[0].part.push_back(first);
    all[1].part.push_back(second);
    all[2].part.push_back(first < 0.5 ? first : second);
  }
  return all;
}

// Where the parts read from exponents 0 and -1 differ by more than the coarser rounding can explain, there is no common F.
void report_agreement(const std::array<Mantissas, 3>& parts) {
  std::size_t equal = 0, apart = 0;
  double widest = 0;
  for (std::size_t i = 0; i < kMantissas; ++i) {
    const double difference = std::fabs(parts[0].part[i] - parts[1].part[i]);
    equal += difference == 0;
    apart += difference >= 0x1p-24;
    widest = std::max(widest, difference);
  }
  std::printf("F of exponents 0 and -1: %zu equal, %zu differ by 2^-24 or more, widest %.3f * 2^-24\n", equal, apart, widest * 0x1p24);
}

std::size_t mismatches(const Mantissas& mantissas, const Rounding& rounding, int exponent, const Results& found, std::size_t& first) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < kMantissas; ++i) {
    const float predicted = rounding.apply(exponent + mantissas.part[i]);
    if (static_cast<double>(predicted) == value(found[i])) continue;
    if (!count++) first = i;
  }
  return count;
}

void test(const std::map<int, Results>& measured) {
  const auto parts = candidates(measured.at(0), measured.at(-1));
  report_agreement(parts);
  for (const Mantissas& mantissas : parts)
    for (const Rounding& rounding : kRoundings) {
      std::printf("F from %-17s %-11s:", mantissas.name, rounding.name);
      for (const auto& [exponent, found] : measured) {
        std::size_t first = 0;
        const std::size_t count = mismatches(mantissas, rounding, exponent, found, first);
        std::printf("  %d: %zu", exponent, count);
        if (count) std::printf(" (%06zx)", first);
      }
      std::printf("\n");
    }
}

int run(const std::string& folder) {
  std::map<int, Results> measured;
  for (int exponent : kLg2Exponents) measured[exponent] = read(folder, exponent);
  for (const auto& [exponent, found] : measured) report_accuracy(exponent, found);
  for (int exponent : {0, -1, 1, -2}) report_grid(exponent, measured[exponent]);
  test(measured);
  return 0;
}

}  // namespace
}  // namespace simt::measure

int main(int count, char** arguments) {
  if (count == 2) return simt::measure::run(arguments[1]);
  std::fprintf(stderr, "usage: %s <folder with lg2_exponent_*.gz>\n", arguments[0]);
  return 2;
}
