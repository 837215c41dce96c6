// Names of code addresses for reports, from the symbol table of the file they were loaded from.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/simt/checker/region.hpp"

namespace simt {

// The demangled function that holds the address; else file and offset.
std::string symbol_name(const void* code);

// The thread_local variables of the file that holds the code, their offsets in its thread-local memory, their names without scope.
std::vector<Variable> thread_locals(const void* code);

// Bytes of the __shared__ variables that stand in the kernel's own body (those of functions it calls are not found, nor is anything in a
// stripped file).
std::size_t static_shared_bytes(const void* kernel);

}  // namespace simt
