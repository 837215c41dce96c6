// The measured tables of the approximations: result bits, expanded on first use, each on its own, kept for the life of the program.
//
// Measured on an H200 (folder sm_90, each file says where it comes from); another architecture needs a folder of its own, written by
// measure/. The model over them stands in device/approximation.hpp.
#pragma once

#include <cstdint>

#pragma GCC visibility push(default)
namespace simt {

enum class Table : unsigned { ex2_positive, ex2_negative, rcp, rsqrt, lg2_above_one, lg2_below_one };
constexpr unsigned kTables = 6;

// Null until expanded. Read with acquire.
extern const std::uint32_t* tables[kTables];

// Expands the table if nobody has, from any thread; returns tables[table]. A table that is not what it should be fails the launch that
// needs it, with one line; outside a launch it ends the program, exit code 2.
const std::uint32_t* expand(Table table);

}  // namespace simt
#pragma GCC visibility pop
