// assay_measure_math <folder> [driver version]: measures the approximations of the GPU it runs on and writes, into the folder,
//   <architecture>/*.gz          the emulator's tables (kernels/simt/math/<architecture>)
//   <architecture>/hashes/*.gz   block hashes of every function over all 2^32 arguments
//   lg2/*.gz                     lg2.approx for the mantissas of several exponents, for lg2_main.cpp
// and checks itself: the model over the fresh tables, evaluated by the host, against the card's hashes. Exit code 1 if they differ.
#include <bit>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "kernels/simt/math/archive.hpp"
#include "kernels/simt/math/expansion.hpp"
#include "kernels/simt/math/measure/card.hpp"
#include "kernels/simt/math/measure/lg2.hpp"
#include "kernels/simt/math/measure/modelled.hpp"

namespace simt {

// The emulator's tables, here those just measured.
constinit const std::uint32_t* tables[kTables] = {};
const std::uint32_t* expand(Table table) { return tables[static_cast<unsigned>(table)]; }

}  // namespace simt

namespace simt::measure {
namespace {

namespace fs = std::filesystem;

// As the kernel module says it, where it can be read.
std::string driver() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;)
    if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos) return word;
  return "unknown";
}

std::string origin(const Card& card, const std::string& driver) {
  char date[16];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  return card.name + ", driver " + driver + ", " + card.toolkit + ", " + date;
}

void write(const fs::path& path, const Archive& archive, int level = 9) {
  fs::create_directories(path.parent_path());
  const std::vector<unsigned char> file = pack(archive, level);
  std::ofstream stream(path, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  if (stream.flush()) return;
  std::fprintf(stderr, "assay: %s cannot be written\n", path.c_str());
  std::exit(2);
}

std::vector<unsigned char> table_differences(const Domain& domain, const std::vector<std::uint32_t>& found) {
  std::vector<unsigned char> bytes;
  const std::string why = differences(domain, found, bytes);
  if (why.empty()) return bytes;
  std::fprintf(stderr, "assay: %s\n", why.c_str());
  std::exit(1);
}

Instruction instruction(Table table) {
  switch (table) {
    case Table::ex2_positive:
    case Table::ex2_negative: return Instruction::ex2;
    case Table::rcp: return Instruction::rcp;
    case Table::rsqrt: return Instruction::rsqrt;
    case Table::lg2_above_one:
    case Table::lg2_below_one: return Instruction::lg2;
  }
  std::abort();
}

// Kept for the life of the program, as the model's tables.
void measure_table(Table table, const fs::path& folder, const Label& label) {
  const Domain& of = domain(table);
  auto* found = new std::vector<std::uint32_t>(results(instruction(table), of.first, of.entries));
  tables[static_cast<unsigned>(table)] = found->data();
  const Label own{label.architecture, of.name, of.entries, checksum(bytes_of(*found)), label.origin};
  write(folder / (own.name + ".gz"), {own, table_differences(of, *found)});
  std::printf("table %-14s %zu entries\n", of.name, of.entries);
}

// Whether the model has the card's bits; true for a function without a model.
bool agrees(const char* name, const std::vector<std::uint64_t>& hashes) {
  for (const Modelled& function : modelled_functions()) {
    if (std::string_view(function.name) != name) continue;
    const auto differing = differing_blocks(function, hashes, 1);
    std::printf("hash %-15s %zu of %zu blocks differ from the model\n", name, differing.size(), hashes.size());
    for (std::size_t i = 0; i < differing.size() && i < 16; ++i) std::printf("  block %03x\n", differing[i]);
    return differing.empty();
  }
  std::printf("hash %-15s no model\n", name);
  return true;
}

bool measure_hashes(const fs::path& folder, const Label& label) {
  bool all = true;
  for (const Hashed& function : hashed_functions()) {
    const std::vector<std::uint64_t> hashes = block_hashes(function);
    const auto bytes = bytes_of(hashes);
    write(folder / (std::string(function.name) + ".gz"),
          {{label.architecture, function.name, hashes.size(), checksum(bytes), label.origin}, {bytes.begin(), bytes.end()}});
    all &= agrees(function.name, hashes);
    std::fflush(stdout);
  }
  return all;
}

void measure_lg2(const fs::path& folder, const Label& label) {
  for (int exponent : kLg2Exponents) {
    const Domain of = lg2_domain(exponent);
    const auto found = results(Instruction::lg2, of.first, of.entries);
    const Label own{label.architecture, lg2_name(exponent), of.entries, checksum(bytes_of(found)), label.origin};
    write(folder / (own.name + ".gz"), {own, table_differences(of, found)}, 6);
    std::printf("%s\n", own.name.c_str());
  }
}

int measure(const fs::path& folder, const std::string& driver) {
  const Card found = card();
  const Label label{.architecture = found.architecture, .origin = origin(found, driver)};
  std::printf("%s: %s\n", label.architecture.c_str(), label.origin.c_str());
  for (unsigned table = 0; table < kTables; ++table) measure_table(static_cast<Table>(table), folder / label.architecture, label);
  measure_lg2(folder / "lg2", label);
  const bool all = measure_hashes(folder / label.architecture / "hashes", label);
  std::printf("%s\n", all ? "the model has the card's bits" : "THE MODEL DIFFERS FROM THE CARD");
  return all ? 0 : 1;
}

}  // namespace
}  // namespace simt::measure

int main(int count, char** arguments) {
  using namespace simt::measure;
  if (count == 2 || count == 3) return measure(arguments[1], count == 3 ? arguments[2] : driver());
  std::fprintf(stderr, "usage: %s <folder to write> [driver version]\n", arguments[0]);
  return 2;
}
