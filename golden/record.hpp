// What a golden record holds, as plain values: the bits of one subject on one case, and where they came from.
//
// Small outputs are recorded as codes, element by element. Large ones are cut into tiles, and of each tile its hash is recorded
// (golden/tile). Only elements are recorded, never the gaps between rows; all NaNs of a format count as one.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fixtures/memory/device.hpp"
#include "oracles/tensor.hpp"

namespace assay::golden {

/// The machine and the build that bits were recorded with.
struct Origin {
  std::string backend;                                                       // "cuda", or "emu"
  std::string card, toolkit, date;                                           // date in UTC: 2025-01-31T12:34:56Z
  std::string tool{};                                                        // version of Assay; empty in files that do not say it
  int compute_capability = 0, multiprocessors = 0, driver = 0, runtime = 0;  // as DeviceDescription has them

  bool operator==(const Origin&) const = default;
};

Origin origin_of(const DeviceDescription&, Backend, std::string date);

/// The exact reference of an output and how what was recorded stands to it: what the judge found when it was recorded. It judges elements
/// inside the contract's domain, of large matrix products a sample; of a step after a wrong one, none.
struct Reference {
  uint64_t judged = 0;
  uint64_t nearest = 0;       // of those, elements that are the rounded exact value
  uint64_t single_legal = 0;  // of those, elements with one legal value only
  /// The exact values, rounded to the output's format: the hash of their codes (hash.hpp; positions count the tensor's elements row by row,
  /// both zeros are 0, any NaN is the canonical one), and of how many: not of those whose rounding FP64 leaves open.
  uint64_t rounded = 0, hash = 0;
  double worst_share = 0;  // the largest error, as a share of its bound (Verdict::worst_share); 0 where no element needs any of it
  std::string worst_term;  // that dominates the bound there; empty likewise
  int64_t worst_row = 0, worst_column = 0;

  bool operator==(const Reference&) const = default;
};

/// One output tensor. Where `tile_rows` is 0, `words` are the codes of all elements, row by row; else the hashes of the tiles, likewise.
struct TensorRecord {
  std::string name;
  Format format = Format::bf16;
  int64_t rows = 0, columns = 0;
  int64_t tile_rows = 0, tile_columns = 0;
  std::vector<uint64_t> words;
  std::optional<Reference> reference{};  // absent in reproducers, and in records of programs that kept none

  bool tiled() const { return tile_rows > 0; }
  bool operator==(const TensorRecord&) const = default;
};

/// One case.
struct Record {
  std::string line;        // of the case
  std::string arithmetic;  // what the subject declared, in words
  uint64_t operands = 0;   // hash of what the kernel was given: other operands make the bits incomparable
  std::vector<TensorRecord> tensors;
  std::string verdict{};  // the judge's on these bits: "pass", "FAIL: ...", "untrusted: ..."; empty where none was kept

  /// Whether a verdict was kept that is no failure.
  bool conforms() const { return !verdict.empty() && !verdict.starts_with("FAIL"); }
  bool operator==(const Record&) const = default;
};

/// All cases of one subject in one suite: one file.
struct Records {
  std::string subject, suite;
  double multiply_adds = 0;  // a run of the suite may cost so much on the emulator; larger cases have tiles that fit its blocks
  Origin origin;
  std::vector<Record> cases;

  bool operator==(const Records&) const = default;
  const Record* find(const std::string& line) const;
};

/// The operands of a reproducer, as they lie in a file.
struct StoredContents {
  std::string line, reason;   // of the reproducer; of its law
  std::vector<TensorRecord> operands;   // codes, NaN payloads included

  bool operator==(const StoredContents&) const = default;
};

}  // namespace assay::golden
