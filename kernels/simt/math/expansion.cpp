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

constexpr Domain kDomains[kTables] = {
    {"ex2_positive", 0x3f800000u, 1u << 23, two_to},    // [1, 2)
    {"ex2_negative", 0xbf800000u, 1u << 23, two_to},    // (-2, -1]
    {"rcp", 0x3f800000u, 1u << 23, reciprocal},         // [1, 2)
    {"rsqrt", 0x3f800000u, 1u << 24, reciprocal_root},  // [1, 4)
};

std::string objection(const Archive& archive, const char* architecture, const Domain& domain) {
  const Label& label = archive.label;
  if (label.name != domain.name) return fmt::format("it holds {}", label.name);
  if (label.architecture != architecture) return fmt::format("it was measured on {}, not on {}", label.architecture, architecture);
  if (label.entries != domain.entries || archive.bytes.size() != domain.entries)
    return fmt::format("it has {} entries (its label says {}), not {}", archive.bytes.size(), label.entries, domain.entries);
  return {};
}

}  // namespace

const Domain& domain(Table table) { return kDomains[static_cast<unsigned>(table)]; }

std::vector<std::uint32_t> rounded(const Domain& domain) {
  std::vector<std::uint32_t> results(domain.entries);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const double argument = std::bit_cast<float>(domain.first + static_cast<std::uint32_t>(i));
    results[i] = std::bit_cast<std::uint32_t>(static_cast<float>(domain.exact(argument)));
  }
  return results;
}

std::string expand(std::span<const unsigned char> file, const char* architecture, const Domain& domain,
                   std::vector<std::uint32_t>& results) {
  Archive archive;
  std::string why = unpack(file, domain.entries, archive);
  if (why.empty()) why = objection(archive, architecture, domain);
  if (!why.empty()) return fmt::format("table {} of {}: {}", domain.name, architecture, why);
  std::vector<std::uint32_t> found = rounded(domain);
  for (std::size_t i = 0; i < found.size(); ++i) found[i] += static_cast<std::uint32_t>(static_cast<std::int8_t>(archive.bytes[i]));
  if (checksum(bytes_of(found)) != archive.label.checksum)
    return fmt::format("table {} of {}: the results are not those measured (checksum): the C library may round wrongly", domain.name,
                       architecture);
  results = std::move(found);
  return {};
}

}  // namespace simt
