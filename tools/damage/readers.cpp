#include "tools/damage/readers.hpp"

#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "fixtures/case/case.hpp"
#include "fixtures/fill/fill.hpp"
#include "fixtures/plugin/assay_plugin.h"
#include "fixtures/plugin/plugin.hpp"
#include "fixtures/suite/suite.hpp"
#include "golden/arrays.hpp"
#include "golden/contents.hpp"
#include "golden/file.hpp"
#include "golden/store.hpp"
#include "properties/fuzz/examiner.hpp"
#include "properties/crew/journal.hpp"
#include "properties/ledger.hpp"
#include "properties/mutants/mutant.hpp"
#include "tools/tensors/safetensors.hpp"

/// HDF5's own checksum of its headers; no part of its interface, but there.
extern "C" uint32_t H5_checksum_metadata(const void* data, size_t bytes, uint32_t start);

namespace assay::tools {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void put(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

/// A reader of files.
Reader of_file(std::string name, const fs::path& path, std::vector<std::string> whole, std::function<void(const fs::path&)> read) {
  return {std::move(name), std::move(whole), [path, read = std::move(read)](const std::string& text) { put(path, text), read(path); }};
}

// ---- HDF5

constexpr size_t kBlock = 512;

void seal_part(std::string& content, size_t at, size_t bytes) {
  if (at + bytes + 4 > content.size()) return;
  const uint32_t sum = H5_checksum_metadata(content.data() + at, bytes, 0);
  std::memcpy(content.data() + at + bytes, &sum, 4);
}

/// Makes the checksums of HDF5's superblock and object headers right again (HDF5 File Format Specification 3.0, II.A and IV.A.1.b): without
/// that, damage would never reach what decodes them.
void seal_headers(std::string& content) {
  constexpr size_t kSuperblock = 44;
  seal_part(content, 0, kSuperblock);
  for (size_t at = content.find("OHDR"); at != content.npos && at + 16 < content.size(); at = content.find("OHDR", at + 4)) {
    const auto flags = uint8_t(content[at + 5]);
    const size_t start = at + 6 + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0), width = size_t{1} << (flags & 3);
    uint64_t length = 0;
    if (start + width > content.size()) continue;
    std::memcpy(&length, content.data() + start, width);
    if (length < content.size()) seal_part(content, at, start + width + length - at);
  }
}

/// Of a file's content, damaged on its own: checksums and the block before it are made anew.
Reader sealed(Reader reader, std::string_view what) {
  reader.name += ", sealed", reader.rarer = 10;
  for (std::string& text : reader.whole) text.erase(0, kBlock);
  reader.read = [what, read = std::move(reader.read)](std::string content) {
    seal_headers(content);
    read(golden::block_of(what, std::as_bytes(std::span(content))) + content);
  };
  return reader;
}

golden::Records records() {
  golden::Record first{.line = "silu_and_mul rows=1 d=3 fill=normal seed=1", .arithmetic = "sum", .operands = 7, .verdict = "pass"};
  first.tensors = {{"a", Format::bf16, 1, 3, 0, 0, {0x3F80, 0x7FFF, 0}, golden::Reference{.judged = 3, .worst_term = "operation"}},
                   {"b", Format::e4m3fn, 2, 2, 0, 0, {1, 2, 3, 0x7F}},
                   {"c", Format::fp32, 0, 8, 0, 0, {}}};
  golden::Record second{.line = "silu_and_mul rows=2 d=3 fill=normal seed=1", .operands = 7};
  second.tensors = {{"a", Format::bf16, 5, 9, 2, 4, {1, 2, 3, 4, 5, 6, 7, 8, ~uint64_t{0}}}};
  return {.subject = "silu_and_mul",
          .suite = "smoke",
          .multiply_adds = 1e6,
          .origin = {.backend = "cuda", .card = "Card", .tool = "assay"},
          .cases = {first, second}};
}

Reader golden_files(const fs::path& folder) {
  const fs::path path = folder / "records.h5";
  golden::write_file(path, records());
  std::vector<std::string> whole{contents(path)};
  golden::Records one = records();
  one.cases.pop_back(), one.cases[0].tensors[1].words.assign(4, 5);
  golden::write_file(path, one);
  whole.push_back(contents(path));
  return of_file("golden files", path, whole, [](const fs::path& p) {
    const golden::Records found = golden::read_file(p);
    golden::place_of(found);
    for (const golden::Record& r : found.cases) parse_case(r.line);
  });
}

Reader reproducers(const fs::path& folder) {
  const fs::path path = folder / "reproducer.h5";
  std::vector<std::string> whole;
  for (const char* line : {"silu_and_mul rows=2 d=3 fill=normal seed=1 subject=silu_and_mul law=conforms backend=emu",
                           "gptq_gemm m=1 n=8 k=16 group=8 act_order=1 fill=normal seed=1", "rope_neox fill=normal seed=1"}) {
    const Reproducer r = parse_reproducer(line);
    golden::write_contents(path, {.reproducer = r, .reason = "y[0, 0] is wrong", .operands = make_tensors(r.problem)});
    whole.push_back(contents(path));
  }
  Reader reader = of_file("reproducers", path, whole, [](const fs::path& p) { golden::read_contents(p); });
  reader.sizes = true;
  return reader;
}

// ---- tensors of others

constexpr int64_t kReadable = 1 << 20;  // elements: larger ones fit no operand of a small case, and are not read

void read_all(const std::vector<GivenTensor>& tensors) {
  for (const GivenTensor& t : tensors)
    if (t.bits > 0 && elements_of(t.shape) <= kReadable) t.read();
}

/// Reproducers are HDF5 too, and nothing guards what others wrote: the checksums of their headers are made right.
Reader arrays(const fs::path& folder) {
  Reader reader = reproducers(folder);
  reader.name = "HDF5 of others", reader.rarer = 10;
  for (std::string& text : reader.whole) text.erase(0, kBlock);
  reader.read = [path = folder / "arrays.h5"](std::string content) {
    seal_headers(content), put(path, content), read_all(golden::read_arrays(path));
  };
  return reader;
}

Reader safetensors(const fs::path& folder) {
  auto file = [](const std::string& header, size_t bytes) {
    std::string text(8, '\0');
    const uint64_t length = header.size();
    std::memcpy(text.data(), &length, 8);
    return text + header + std::string(bytes, 'x');
  };
  return of_file("safetensors", folder / "tensors.safetensors",
                 {file(R"({"__metadata__":{"format":"pt"},"x":{"dtype":"BF16","shape":[2,3],"data_offsets":[0,12]},)"
                       R"("w":{"dtype":"U8","shape":[4],"data_offsets":[12,16]}})",
                       16),
                  file(R"({"y":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})", 4), file("{}", 0)},
                 [](const fs::path& p) { read_all(read_safetensors(p)); });
}

// ---- journals

const std::string kOwner = "a campaign", kKey = "check silu_and_mul * silu_and_mul rows=1 d=8 fill=normal seed=1";

std::string result() {
  properties::TaskResult r;
  r.laws.push_back({"conforms", failed("out[0, 0] is wrong")});
  r.codes.push_back({.operand = "gate_up", .seen = std::vector<bool>(16, true)});
  r.contents.push_back({"gate_up", {1, 2, 0xffff}});
  return properties::to_text(r);
}

void use(const properties::Journal& journal) {
  if (const std::string* found = journal.find(kKey)) properties::result_of(*found);
}

void open(const fs::path& path) {
  properties::Journal journal;
  journal.open(path, "assay fuzz", kOwner);
  use(journal);
}

Reader journals(const fs::path& folder) {
  const fs::path path = folder / "journal";
  {
    properties::Journal journal;
    journal.open(path, "assay fuzz", kOwner);
    journal.add(kKey, result()), journal.add("another key", "value");
  }
  return of_file("journals", path, {contents(path)}, open);
}

/// Damaged results in a journal whose hashes are right.
Reader sealed_journals(const fs::path& folder) {
  return {"journals, sealed", {result()}, [path = folder / "sealed"](const std::string& text) {
            put(path, "");
            {
              properties::Journal journal;
              journal.open(path, "assay fuzz", kOwner);
              journal.add(kKey, text);
            }
            open(path);
          }};
}

// ---- texts

std::vector<std::string> lines() {
  std::vector<std::string> all;
  for (const Contract& c : registry<Contract>()) {
    all.push_back(to_line(standard_case(c)));
    all.push_back(
        to_line(Reproducer{.problem = standard_case(c), .subject = c.name, .law = "conforms", .schedule = 7, .plugin = "a b.so"}));
  }
  return all;
}

Reader case_lines() {
  return {"case lines", lines(), [](const std::string& text) { parse_reproducer(to_line(parse_reproducer(text))); }};
}

Reader suites(const fs::path& folder) {
  std::string text = "budget=1e9  # of a run\n";
  for (const std::string& line : lines())
    if (line.find("subject=") == line.npos) text += line + "\n";
  return of_file("suites", folder / "damaged.suite", {text, "# one\nbudget=1e6\nsilu_and_mul rows=1 d=8\n"},
                 [](const fs::path& p) { load_suite(p.string()).multiply_adds_per_run(); });
}

Reader ledgers(const fs::path& folder) {
  const std::string entry =
      "[[failure]]\nsubject = \"gptq_*\"\nlaw = \"conforms\"\nbackend = \"cuda\"\ncase = \"* act_order=1 *\"\n"
      "reason = \"what is wrong\"\nlink = \"https://example.org/1\"\n";
  return of_file("ledgers", folder / "ledger.toml", {entry, "# two\n" + entry + "\n" + entry},
                 [](const fs::path& p) { properties::load_ledger(p); });
}

Reader mutant_files(const fs::path& folder) {
  return of_file(
      "mutant files", folder / "mutant.toml",
      {"kernel = \"silu_and_mul\"\nclass = \"indexing\"\nmodels = \"a loop that ends early\"\ndetectors = [\"conforms\", \"guarded\"]\n"
       "find = '''i < n'''\nreplace = '''i + 1 < n'''\n",
       "kernel = \"rope\"\nfile = \"rope.cu\"\nsubject = \"rope_neox\"\nclass = \"order\"\nmodels = \"a sum in another order\"\n"
       "harmless = \"\"\"any\norder\"\"\"\nfind = \"a + b\"\n"},
      [](const fs::path& p) { properties::mutated(properties::load_mutant(p), "for (i < n) a + b"); });
}

// ---- descriptions of plug-ins: texts in the memory of a shared object, whose code is trusted as all code that is loaded

std::vector<std::string> descriptions() {
  std::vector<std::string> all;
  for (const Subject& s : registry<Subject>())
    if (const std::string arithmetic = s.arithmetic(standard_case(*find<Contract>(s.contract)).parameters).text();
        arithmetic.find("by row and column") == arithmetic.npos)  // which no text can declare
      all.push_back("my_plugin\n" + s.contract + "\n" + s.name + "_too\n" + s.summary + "\ny\n" + arithmetic);
  return all;
}

/// The texts of a description, a line each, the last one its arithmetic to the end.
std::vector<std::string> fields_of(const std::string& text) {
  std::vector<std::string> fields(1);
  for (const char c : text)
    if (c == '\n' && fields.size() < 6)
      fields.emplace_back();
    else
      fields.back() += c;
  fields.resize(6);
  return fields;
}

void read_description(const std::string& text) {
  const std::vector<std::string> f = fields_of(text);
  const assay_expected_tensor expected{.name = f[4].c_str(), .code = ASSAY_BFLOAT, .bits = 16};
  const bool expects = f[4] != "y";
  const assay_kernel kernel{.contract = f[1].c_str(),
                            .name = f[2].c_str(),
                            .summary = f[3].c_str(),
                            .arithmetic = f[5].c_str(),
                            .repeatable = 1,
                            .run = [](const assay_call*) { return int32_t{0}; },
                            .expected = expects ? &expected : nullptr,
                            .expected_count = expects};
  const assay_plugin_description description{.abi = ASSAY_PLUGIN_ABI,
                                             .size = sizeof(assay_plugin_description),
                                             .kernel_size = sizeof(assay_kernel),
                                             .backend = ASSAY_BACKEND_EMULATOR,
                                             .name = f[0].c_str(),
                                             .kernel_count = 1,
                                             .kernels = &kernel};
  for (const Subject& s : plugin_of(&description, "damaged.so").subjects)
    s.arithmetic(standard_case(*find<Contract>(s.contract)).parameters).text();
}

}  // namespace

std::vector<Reader> readers(const fs::path& folder) {
  const Reader golden = golden_files(folder), reproducer = reproducers(folder);
  return {golden,
          sealed(golden, "golden records"),
          reproducer,
          sealed(reproducer, "reproducer"),
          arrays(folder),
          safetensors(folder),
          journals(folder),
          sealed_journals(folder),
          suites(folder),
          ledgers(folder),
          mutant_files(folder),
          {"plug-in descriptions", descriptions(), read_description},
          case_lines()};
}

}  // namespace assay::tools
