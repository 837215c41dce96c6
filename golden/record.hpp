// What a golden record holds, as plain values: the bits of one subject on one case, and where they came from.
//
// Small outputs are recorded as codes, element by element. Large ones are cut into tiles, and of each tile its hash is recorded
// (golden/tile). Only elements are recorded, never the gaps between rows; all NaNs of a format count as one.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "fixtures/memory/device.hpp"
#include "oracles/tensor.hpp"

namespace assay::golden {

/// The machine and the build that bits were recorded with.
struct Origin {
  std::string backend;                                                       // "cuda", or "emu"
  std::string card, toolkit, date;                                           // date in UTC: 2025-01-31T12:34:56Z
  int compute_capability = 0, multiprocessors = 0, driver = 0, runtime = 0;  // as DeviceDescription has them

  bool operator==(const Origin&) const = default;
};

Origin origin_of(const DeviceDescription&, Backend, std::string date);

/// One output tensor. Where `tile_rows` is 0, `words` are the codes of all elements, row by row; else the hashes of the tiles, likewise.
struct TensorRecord {
  std::string name;
  Format format = Format::bf16;
  int64_t rows = 0, columns = 0;
  int64_t tile_rows = 0, tile_columns = 0;
  std::vector<uint64_t> words;

  bool tiled() const { return tile_rows > 0; }
  bool operator==(const TensorRecord&) const = default;
};

/// One case.
struct Record {
  std::string line;        // of the case
  std::string arithmetic;  // what the subject declared, in words
  uint64_t operands = 0;   // hash of what the kernel was given: other operands make the bits incomparable
  std::vector<TensorRecord> tensors;

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
