// The commands of `assay`. Each returns the exit code; bad input is thrown as BadInput.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::tools {

/// Whether kernels run in processes of their own, and what ends these.
struct IsolationOptions {
  bool isolate = false;     // asked for; plug-ins, and kernels on a GPU, are always isolated
  double limit = 120;       // seconds for one law on one case
  double gigabytes = 0;     // that a process may allocate; 0: what the machine has
};

struct CheckOptions {
  std::vector<std::string> filter;  // subjects, contracts, laws, or law.subject; empty: all
  std::string backend, suite = "ci", json, junit, report, image;   // backend: empty for that of the plug-ins, or emu
  std::vector<std::string> plugins;  // files; only their kernels are checked, and ours that the filter names
  std::string ledger;  // of known failures; empty: properties/ledger.toml
  std::string tensors, shapes, out;   // a file of operands instead of a suite; the words of a case line that shapes leave open; a folder
  std::vector<std::string> map;       // operand=tensor
  uint64_t seed = 1, schedule = 0;
  int cases = 20, workers = 0;
  bool judge_all = false;  // matrix products of any size: every element instead of a sample
  IsolationOptions isolation;
  int jobs = 0;            // processes; 0: one where kernels are isolated
  std::string journal;
  std::optional<std::string> shard;   // "k/n"; none: the whole run
};

struct MergeOptions {
  std::vector<std::string> files;  // reports of shards
  std::string json, junit;
};

struct ReproOptions {
  std::string line;     // or the path of a reproducer with contents
  std::string backend;  // empty: as the plug-in was built for, or as the line says
  std::string image;
  std::string plugin;   // empty: as the line says
  bool judge_all = false;
  IsolationOptions isolation;
};

struct FuzzOptions {
  std::string contract, subject;   // subject: with * as wildcard; empty: all of the contract
  std::optional<std::string> time; // "60s"; none: no limit, or 60 s where there are no cases
  std::vector<std::string> plugins;  // files; only their kernels are fuzzed, unless `subject` names others
  std::string backend, image, journal, out, json, report, ledger;   // backend empty: as the plug-ins were built for, emu without any
  int64_t cases = 0;               // of each subject; 0: no limit
  uint64_t seed = 1, schedule = 0;
  int jobs = 0;                    // processes; 0: one a core
  double multiply_adds = 0;        // of a case; 0: what suits the backend
  IsolationOptions isolation;      // kernels always are
};

struct GoldenOptions {
  std::vector<std::string> filter;  // subjects or contracts; empty: all
  std::string backend = "emu", suite = "ci", out, records, image;
  std::string fresh;  // approve: the folder of new files
  int workers = 0;
  bool dry_run = false;
};

struct BenchOptions {
  std::vector<std::string> filter;   // subjects or contracts; empty: all
  std::vector<std::string> shapes;   // suites, files or case lines; empty: suite bench, or smoke on the emulator
  std::string backend = "cuda", json, image;
  int repeats = 0, workers = 0;
  double seconds = 0;   // after which no measurement begins; 0: no limit
};

struct ToleranceOptions {
  std::vector<std::string> filter;   // subjects or contracts; empty: all
  std::string backend = "none", suite = "tolerances", json, markdown;
  double multiply_adds = 1e6;        // emulator: larger cases are not run
  int workers = 0;
};

struct MutantOptions {
  std::vector<std::string> filter;   // mutants or kernels, with *; empty: all
  std::string folder, json, markdown;
  uint64_t seed = 1;
  int cases = 400;
};

struct IdentifyOptions {
  std::string contract, subject;     // no subject: the contract's only one
  std::vector<std::string> plugins;  // files; with them one of their kernels, unless `subject` names another
  std::string backend, image, json;  // backend empty: as the plug-in was built for, emu without any
  std::vector<std::string> shapes;   // case lines, with or without the contract; empty: the family's
  int workers = 0;
  IsolationOptions isolation;
};

int check(const CheckOptions&);
int merge(const MergeOptions&);
int repro(const ReproOptions&);
int fuzz(const FuzzOptions&);
int golden_record(const GoldenOptions&);
int golden_verify(const GoldenOptions&);
int golden_approve(const GoldenOptions&);
int bench(const BenchOptions&);
int mutants(const MutantOptions&);
int tolerances(const ToleranceOptions&);
int identify(const IdentifyOptions&);
int list(const std::vector<std::string>& names, const std::vector<std::string>& plugins);

}  // namespace assay::tools
