#include "kernels/simt/runtime/symbol.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

namespace simt {
namespace {

struct Symbol {
  std::string name;
  std::uint64_t value;
  std::uint64_t size;
};

struct SymbolTable {
  std::vector<Symbol> functions;
  std::vector<Symbol> thread_locals;  // __shared__ among them
};

template <class T>
std::vector<T> read_array(std::ifstream& file, std::uint64_t offset, std::size_t count) {
  std::vector<T> items(count);
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(reinterpret_cast<char*>(items.data()), static_cast<std::streamsize>(count * sizeof(T)));
  return items;
}

// Empty for a file that is no ELF file of this machine or has been stripped.
SymbolTable read_symbols(const char* path) {
  SymbolTable table;
  std::ifstream file(path, std::ios::binary);
  const Elf64_Ehdr header = read_array<Elf64_Ehdr>(file, 0, 1)[0];
  if (!file || std::string_view(reinterpret_cast<const char*>(header.e_ident), SELFMAG) != ELFMAG) return table;
  const auto sections = read_array<Elf64_Shdr>(file, header.e_shoff, header.e_shnum);
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    const auto names = read_array<char>(file, sections[section.sh_link].sh_offset, sections[section.sh_link].sh_size);
    for (const Elf64_Sym& symbol : read_array<Elf64_Sym>(file, section.sh_offset, section.sh_size / sizeof(Elf64_Sym))) {
      const auto type = ELF64_ST_TYPE(symbol.st_info);
      if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= names.size() || (type != STT_FUNC && type != STT_TLS)) continue;
      (type == STT_FUNC ? table.functions : table.thread_locals).push_back({&names[symbol.st_name], symbol.st_value, symbol.st_size});
    }
  }
  return table;
}

// Keyed by path and base: an image may be loaded again from another file of the same name.
const SymbolTable& symbols(const Dl_info& info) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, const void*>, SymbolTable> tables;
  std::lock_guard lock(mutex);
  const auto [entry, fresh] = tables.try_emplace({info.dli_fname, info.dli_fbase});
  if (fresh) entry->second = read_symbols(info.dli_fname);
  return entry->second;
}

const Symbol* find_function(const SymbolTable& table, std::uint64_t address) {
  for (const Symbol& symbol : table.functions)
    if (address >= symbol.value && address < symbol.value + symbol.size) return &symbol;
  return nullptr;
}

std::string demangle(const std::string& name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string result = text ? text : name;
  std::free(text);
  return result;
}

// Without the parameters and the result of a template, which say nothing to who wrote the kernel.
std::string short_name(const std::string& name) {
  const std::size_t begin = name.starts_with("void ") ? 5 : 0;
  int depth = 0;
  for (std::size_t i = name.size(); name.ends_with(')') && i-- > begin;) {
    depth += (name[i] == ')') - (name[i] == '(');
    if (depth == 0) return name.substr(begin, i - begin);
  }
  return name.substr(begin);
}

bool locate(const void* code, Dl_info& info, std::uint64_t& offset) {
  struct link_map* map = nullptr;
  if (!dladdr1(code, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) || !info.dli_fname) return false;
  offset = reinterpret_cast<std::uint64_t>(code) - map->l_addr;
  return true;
}

}  // namespace

std::string symbol_name(const void* code) {
  Dl_info info{};
  std::uint64_t offset = 0;
  if (!locate(code, info, offset)) return fmt::format("{}", code);
  if (const Symbol* function = find_function(symbols(info), offset)) {
    return short_name(demangle(function->name));
  }
  return fmt::format("{}+{:#x}", info.dli_fname, offset);
}

std::vector<Variable> thread_locals(const void* code) {
  Dl_info info{};
  std::uint64_t offset = 0;
  std::vector<Variable> variables;
  if (!locate(code, info, offset)) return variables;
  for (const Symbol& symbol : symbols(info).thread_locals) {
    if (symbol.name.starts_with("_ZGV")) {
      variables.push_back({kConstructionGuard, symbol.value, symbol.size});
      continue;
    }
    const std::string full = demangle(symbol.name);
    const std::size_t scope = full.rfind("::");
    variables.push_back({scope == full.npos ? full : full.substr(scope + 2), symbol.value, symbol.size});
  }
  return variables;
}

std::size_t static_shared_bytes(const void* kernel) {
  Dl_info info{};
  std::uint64_t offset = 0;
  if (!locate(kernel, info, offset)) return 0;
  const SymbolTable& table = symbols(info);
  const Symbol* function = find_function(table, offset);
  if (!function || !function->name.starts_with("_Z")) return 0;
  const std::string local = "_ZZ" + function->name.substr(2) + "E";  // how a local of that function is mangled
  std::size_t sum = 0;
  for (const Symbol& variable : table.thread_locals)
    if (variable.name.starts_with(local)) sum += variable.size;
  return sum;
}

}  // namespace simt
