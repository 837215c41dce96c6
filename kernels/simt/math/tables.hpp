// The measured tables of sm_90's approximations: result bits, expanded on first use, each on its own, kept for the life of the program.
#pragma once

#include <cstdint>

#pragma GCC visibility push(default)
namespace simt {

enum class Table : unsigned { ex2_positive, ex2_negative, rcp, rsqrt };

// Null until expanded. Read with acquire.
extern const std::uint32_t* tables[4];

// Expands the table if nobody has, from any thread; returns tables[table].
const std::uint32_t* expand(Table table);

}  // namespace simt
#pragma GCC visibility pop
