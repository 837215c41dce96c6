// A table of results as a file of differences, and back: each entry is the correctly rounded value plus a difference in ulp, a signed
// integer, little endian.
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
  int finest = -149;        // no ulp is finer than 2^finest: results below 2^(finest + 24) lie on that grid
  std::size_t width = 1;    // bytes of a difference, 1 to 4
};

const Domain& domain(Table table);

// The correctly rounded results of the domain, as bits.
std::vector<std::uint32_t> rounded(const Domain& domain);

// The bytes of the file that expands to the results. Empty, or one line that says which result has no difference of the domain's width.
std::string differences(const Domain& domain, const std::vector<std::uint32_t>& results, std::vector<unsigned char>& bytes);

// Empty, or one line that says why the file is not this architecture's table of the domain; `results` is then untouched.
std::string expand(std::span<const unsigned char> file, const char* architecture, const Domain& domain,
                   std::vector<std::uint32_t>& results);

}  // namespace simt
