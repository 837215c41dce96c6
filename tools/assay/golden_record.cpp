#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <functional>

#include "fixtures/suite/suite.hpp"
#include "golden/file.hpp"
#include "golden/recorder.hpp"
#include "golden/store.hpp"
#include "tools/assay/commands.hpp"
#include "tools/assay/filter.hpp"
#include "tools/assay/golden.hpp"
#include "tools/assay/progress.hpp"

namespace assay::tools {
namespace {

namespace fs = std::filesystem;
using golden::Records;

std::string now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

Records empty_records(const Subject& subject, const Suite& suite, const Device& device) {
  Records records{.subject = subject.name,
                  .suite = suite.name,
                  .multiply_adds = suite.multiply_adds_per_run(),
                  .origin = golden::origin_of(device.describe(), device.backend, now())};
  records.origin.tool = "assay " ASSAY_VERSION;
  return records;
}

uint64_t elements_of(const golden::Record& record) {
  uint64_t sum = 0;
  for (const golden::TensorRecord& t : record.tensors) sum += uint64_t(t.rows * t.columns);
  return sum;
}

using Tell = std::function<void(const Case&)>;

/// The records of one subject, written unless a case has no bits to record or there are none. Bits that do not conform are written, with
/// the verdict, and are told of.
void record_subject(const Subject& subject, const Suite& suite, Bench& bench, const fs::path& out, Outcomes& outcomes, const Tell& tell) {
  Records records = empty_records(subject, suite, bench.device());
  bool whole = true;
  for (const Case& c : suite.cases) {
    if (c.contract != subject.contract) continue;
    tell(c);
    golden::Take take = golden::take(bench, subject, c, records.multiply_adds);
    if (take.record) take.verdict.tally.judged = elements_of(*take.record);
    outcomes.add(take.verdict);
    if (take.verdict.outcome == Outcome::fail) outcomes.failures.push_back(fmt::format("{}\n  {}", take.verdict.reason, to_line(c)));
    whole &= take.verdict.outcome != Outcome::fail || take.record;
    if (take.record) records.cases.push_back(std::move(*take.record));
  }
  if (whole && !records.cases.empty()) golden::write_file(out / golden::place_of(records), records);
}

/// Whether a folder is another one or lies within it, however both are written.
bool is_within(const fs::path& folder, const fs::path& other) {
  std::error_code error;
  const fs::path inner = fs::weakly_canonical(folder, error), outer = fs::weakly_canonical(other, error);
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

void require_writable(const std::string& folder) {
  std::error_code error;
  if (is_within(folder, golden::standard_folder()))
    throw BadInput(
        fmt::format("--out {}: holds the records that are compared with, which only assay golden approve changes: record elsewhere, "
                    "then assay golden approve that folder",
                    folder));
  fs::create_directories(folder, error);
  if (error || access(folder.c_str(), W_OK) != 0) throw BadInput(fmt::format("--out {}: is no folder that can be written to", folder));
}

size_t count_cases(const Suite& suite, const std::vector<const Subject*>& subjects) {
  size_t count = 0;
  for (const Subject* s : subjects)
    for (const Case& c : suite.cases) count += c.contract == s->contract;
  return count;
}

}  // namespace

int golden_record(const GoldenOptions& options) {
  const std::vector<const Subject*> subjects = subjects_named(options.filter, "golden");
  const BenchSettings settings{.backend = backend_named(options.backend), .workers = options.workers};
  const Suite suite = load_suite(options.suite);
  require_writable(options.out);
  Matrix matrix;
  ProgressBar bar;
  size_t done = 0;
  const size_t all = count_cases(suite, subjects);
  for (const Subject* subject : subjects) {
    Bench bench(settings);
    Outcomes& outcomes = matrix[subject->name];
    if (const std::string why = bench.device().unavailable(); !why.empty())
      outcomes.add(skipped(fmt::format("no {} device: {}", options.backend, why)));
    else
      record_subject(*subject, suite, bench, options.out, outcomes,
                     [&](const Case& c) { bar.show(done++, all, subject->name + "  " + to_line(c)); });
  }
  bar.show(all, all, "");
  print(matrix, "recorded");
  return exit_code(matrix);
}

}  // namespace assay::tools
