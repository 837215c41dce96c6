#include "kernels/simt/math/expansion.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "kernels/simt/math/archive.hpp"

namespace simt {
namespace {

double two_to(double x) { return std::exp2(x); }
double reciprocal(double x) { return 1 / x; }
double reciprocal_root(double x) { return 1 / std::sqrt(x); }
double logarithm(double x) { return std::log2(x); }

constexpr Domain kDomains[kTables] = {
    {"ex2_positive", 0x3f800000u, 1u << 23, two_to},              // [1, 2)
    {"ex2_negative", 0xbf800000u, 1u << 23, two_to},              // (-2, -1]
    {"rcp", 0x3f800000u, 1u << 23, reciprocal},                   // [1, 2)
    {"rsqrt", 0x3f800000u, 1u << 24, reciprocal_root},            // [1, 4)
    {"lg2_above_one", 0x3f800000u, 1u << 23, logarithm, -36, 2},  // [1, 2)
    {"lg2_below_one", 0x3f000000u, 1u << 23, logarithm, -36, 2},  // [0.5, 1)
};

std::string objection(const Archive& archive, const char* architecture, const Domain& domain) {
  const Label& label = archive.label;
  if (label.name != domain.name) return fmt::format("it holds {}", label.name);
  if (label.architecture != architecture) return fmt::format("it was measured on {}, not on {}", label.architecture, architecture);
  if (label.entries != domain.entries || archive.bytes.size() != domain.entries * domain.width)
    return fmt::format("it has {} entries (its label says {}), not {}", archive.bytes.size() / domain.width, label.entries, domain.entries);
  return {};
}

// A float's bits count its binade's ulps, and gradual underflow makes the finest ulp that of the subnormals, 2^-149. A scale by a power of
// two puts the domain's finest ulp there.
constexpr int kSubnormal = -149;

double power_of_two(int exponent) { return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52); }

std::uint32_t steps(const Domain& domain, double value) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(value * power_of_two(kSubnormal - domain.finest)));
}

std::uint32_t result(const Domain& domain, std::uint32_t steps) {
  const double value = std::bit_cast<float>(steps);
  return std::bit_cast<std::uint32_t>(static_cast<float>(value * power_of_two(domain.finest - kSubnormal)));
}

// Of `width` bytes, with its sign.
std::uint32_t difference(const unsigned char* bytes, std::size_t width) {
  std::uint32_t upper = 0;  // the difference in the upper bytes
  for (std::size_t byte = 0; byte < width; ++byte) upper = upper >> 8 | std::uint32_t{bytes[byte]} << 24;
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(upper) >> (32 - 8 * width));
}

std::uint32_t rounded_steps(const Domain& domain, std::size_t entry) {
  return steps(domain, domain.exact(std::bit_cast<float>(domain.first + static_cast<std::uint32_t>(entry))));
}

}  // namespace

const Domain& domain(Table table) { return kDomains[static_cast<unsigned>(table)]; }

std::vector<std::uint32_t> rounded(const Domain& domain) {
  std::vector<std::uint32_t> results(domain.entries);
  for (std::size_t i = 0; i < results.size(); ++i) results[i] = result(domain, rounded_steps(domain, i));
  return results;
}

std::string differences(const Domain& domain, const std::vector<std::uint32_t>& results, std::vector<unsigned char>& bytes) {
  std::vector<unsigned char> found(domain.entries * domain.width);
  const std::int64_t limit = std::int64_t{1} << (8 * domain.width - 1);
  for (std::size_t i = 0; i < domain.entries; ++i) {
    const std::uint32_t measured = steps(domain, std::bit_cast<float>(results[i]));
    if (result(domain, measured) != results[i])
      return fmt::format("table {}: entry {} uses bits below 2^{}", domain.name, i, domain.finest);
    const auto difference = static_cast<std::int32_t>(measured - rounded_steps(domain, i));
    if (difference < -limit || difference >= limit)
      return fmt::format("table {}: entry {} is {} ulp from the correctly rounded value", domain.name, i, difference);
    for (std::size_t byte = 0; byte < domain.width; ++byte)
      found[i * domain.width + byte] = static_cast<unsigned char>(difference >> 8 * byte & 255);
  }
  bytes = std::move(found);
  return {};
}

std::string expand(std::span<const unsigned char> file, const char* architecture, const Domain& domain,
                   std::vector<std::uint32_t>& results) {
  Archive archive;
  std::string why = unpack(file, domain.entries * domain.width, archive);
  if (why.empty()) why = objection(archive, architecture, domain);
  if (!why.empty()) return fmt::format("table {} of {}: {}", domain.name, architecture, why);
  std::vector<std::uint32_t> found(domain.entries);
  for (std::size_t i = 0; i < found.size(); ++i)
    found[i] = result(domain, rounded_steps(domain, i) + difference(&archive.bytes[i * domain.width], domain.width));
  if (checksum(bytes_of(found)) != archive.label.checksum)
    return fmt::format("table {} of {}: the results are not those measured (checksum): the C library may round wrongly", domain.name,
                       architecture);
  results = std::move(found);
  return {};
}

}  // namespace simt
