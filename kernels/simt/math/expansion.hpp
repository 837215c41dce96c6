// From a file of differences to a table of results: each entry is the correctly rounded value plus a difference in ulp, one signed byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/simt/math/tables.hpp"

namespace simt {

// What a table covers: `entries` arguments, whose bits follow each other from `first` on.
struct Domain {
  const char* name;
  std::uint32_t first;
  std::size_t entries;
  double (*exact)(double);  // exact enough that rounding it to float is correct for every argument; the file's checksum proves it
};

const Domain& domain(Table table);

// The correctly rounded results of the domain, as bits.
std::vector<std::uint32_t> rounded(const Domain& domain);

// Empty, or one line that says why the file is not this architecture's table of the domain; `results` is then untouched.
std::string expand(std::span<const unsigned char> file, const char* architecture, const Domain& domain,
                   std::vector<std::uint32_t>& results);

}  // namespace simt
