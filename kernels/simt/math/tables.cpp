#include "kernels/simt/math/tables.hpp"

#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "kernels/simt/runtime/block.hpp"
#include "kernels/simt/math/expansion.hpp"

// SIMT_TABLES is the folder of the files and SIMT_ARCHITECTURE its name, both set by the build.
#define SIMT_EMBED(name)                                                                                                   \
  asm(".section .rodata\n.hidden simt_" #name "\n.globl simt_" #name "\nsimt_" #name ":\n.incbin \"" SIMT_TABLES "/" #name \
      ".gz\"\n.hidden simt_" #name "_end\n.globl simt_" #name "_end\nsimt_" #name "_end:\n.text\n");                       \
  extern "C" const unsigned char simt_##name[], simt_##name##_end[]
SIMT_EMBED(ex2_positive);
SIMT_EMBED(ex2_negative);
SIMT_EMBED(rcp);
SIMT_EMBED(rsqrt);
SIMT_EMBED(lg2_above_one);
SIMT_EMBED(lg2_below_one);

namespace simt {

constinit const std::uint32_t* tables[kTables] = {};

namespace {

std::span<const unsigned char> embedded(Table table) {
  switch (table) {
    case Table::ex2_positive: return {simt_ex2_positive, simt_ex2_positive_end};
    case Table::ex2_negative: return {simt_ex2_negative, simt_ex2_negative_end};
    case Table::rcp: return {simt_rcp, simt_rcp_end};
    case Table::rsqrt: return {simt_rsqrt, simt_rsqrt_end};
    case Table::lg2_above_one: return {simt_lg2_above_one, simt_lg2_above_one_end};
    case Table::lg2_below_one: return {simt_lg2_below_one, simt_lg2_below_one_end};
  }
  std::abort();
}

[[noreturn]] void refuse(std::string&& why) {
  if (current) fail({}, std::move(why));
  std::fprintf(stderr, "assay: %s\n", why.c_str());
  std::exit(2);
}

}  // namespace

const std::uint32_t* expand(Table table) {
  static std::mutex expanding[kTables];
  static std::vector<std::uint32_t> results[kTables];
  const auto index = static_cast<unsigned>(table);
  std::string why;
  {
    std::lock_guard lock(expanding[index]);
    if (tables[index]) return tables[index];
    why = expand(embedded(table), SIMT_ARCHITECTURE, domain(table), results[index]);
    if (why.empty()) {
      __atomic_store_n(&tables[index], results[index].data(), __ATOMIC_RELEASE);
      return results[index].data();
    }
  }
  refuse(std::move(why));  // leaves by a jump: nothing may be held here
}

}  // namespace simt
