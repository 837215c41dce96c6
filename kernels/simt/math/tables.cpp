// Expands the measured tables: each entry is the correctly rounded value plus a difference in ulp, one signed byte, deflated.
#include "kernels/simt/math/tables.hpp"

#include <zlib.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <vector>

// SIMT_TABLES is the folder of the files, set by the build.
#define SIMT_EMBED(name)                                                                                                   \
  asm(".section .rodata\n.hidden simt_" #name "\n.globl simt_" #name "\nsimt_" #name ":\n.incbin \"" SIMT_TABLES "/" #name \
      ".gz\"\n.hidden simt_" #name "_end\n.globl simt_" #name "_end\nsimt_" #name "_end:\n.text\n");                       \
  extern "C" const unsigned char simt_##name[], simt_##name##_end[]
SIMT_EMBED(ex2_positive);
SIMT_EMBED(ex2_negative);
SIMT_EMBED(rcp);
SIMT_EMBED(rsqrt);

namespace simt {

constinit const std::uint32_t* tables[4] = {};

namespace {

struct Source {
  const unsigned char* begin;
  const unsigned char* end;
  std::uint32_t first;  // bits of the first argument; the others follow
  std::size_t entries;
  double (*exact)(double);  // exact enough that rounding it to float is correct for every argument
};

const Source sources[4] = {
    {simt_ex2_positive, simt_ex2_positive_end, 0x3f800000u, 1u << 23, [](double x) { return std::exp2(x); }},  // [1, 2)
    {simt_ex2_negative, simt_ex2_negative_end, 0xbf800000u, 1u << 23, [](double x) { return std::exp2(x); }},  // (-2, -1]
    {simt_rcp, simt_rcp_end, 0x3f800000u, 1u << 23, [](double x) { return 1 / x; }},                           // [1, 2)
    {simt_rsqrt, simt_rsqrt_end, 0x3f800000u, 1u << 24, [](double x) { return 1 / std::sqrt(x); }},            // [1, 4)
};

std::vector<std::int8_t> differences(const Source& source) {
  std::vector<std::int8_t> result(source.entries);
  z_stream stream{};
  stream.next_in = const_cast<Bytef*>(source.begin);
  stream.avail_in = static_cast<uInt>(source.end - source.begin);
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(source.entries);
  const bool whole = inflateInit2(&stream, 15 + 16) == Z_OK && inflate(&stream, Z_FINISH) == Z_STREAM_END;  // 16: a gzip header
  inflateEnd(&stream);
  if (!whole) std::abort();  // the table is part of the program
  return result;
}

const std::uint32_t* expanded(const Source& source) {
  const std::vector<std::int8_t> difference = differences(source);
  auto* entries = new std::uint32_t[source.entries];
  for (std::size_t i = 0; i < source.entries; ++i) {
    const double argument = std::bit_cast<float>(source.first + static_cast<std::uint32_t>(i));
    const auto rounded = std::bit_cast<std::uint32_t>(static_cast<float>(source.exact(argument)));
    entries[i] = rounded + static_cast<std::uint32_t>(std::int32_t{difference[i]});
  }
  return entries;
}

}  // namespace

const std::uint32_t* expand(Table table) {
  static std::once_flag once[4];
  const auto index = static_cast<unsigned>(table);
  std::call_once(once[index], [index] { __atomic_store_n(&tables[index], expanded(sources[index]), __ATOMIC_RELEASE); });
  return tables[index];
}

}  // namespace simt
