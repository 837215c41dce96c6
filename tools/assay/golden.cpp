// assay golden record | verify
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <ctime>
#include <map>
#include <set>

#include "fixtures/suite/suite.hpp"
#include "golden/file.hpp"
#include "golden/recorder.hpp"
#include "golden/store.hpp"
#include "golden/verify.hpp"
#include "tools/assay/commands.hpp"
#include "tools/assay/filter.hpp"
#include "tools/assay/progress.hpp"

namespace assay::tools {
namespace {

namespace fs = std::filesystem;
using golden::Records;

/// What became of the cases of one subject.
struct Outcomes {
  int passed = 0, failed = 0, untrusted = 0, skipped = 0;
  uint64_t elements = 0;
  std::map<std::string, int> reasons;    // of skips and untrusted ones
  std::vector<std::string> failures;     // printable, with their reproducers

  void add(const Verdict& v) {
    elements += v.tally.judged;
    (v.outcome == Outcome::pass ? passed : v.outcome == Outcome::fail ? failed : v.outcome == Outcome::untrusted ? untrusted : skipped)++;
    if (v.outcome == Outcome::skip || v.outcome == Outcome::untrusted) reasons[fmt::format("{}: {}", name(v.outcome), v.reason)]++;
  }
};
using Matrix = std::map<std::string, Outcomes>;

std::vector<const Subject*> subjects_named(const std::vector<std::string>& words) {
  const Selection selection = select(words);
  if (selection.laws.size() != registry<Law>().size()) throw BadInput("golden takes subjects and contracts, no laws: see assay list");
  return selection.subjects;
}

void print(const Matrix& matrix, const char* done) {
  constexpr int kShown = 10;   // failures of a subject
  fmt::print("{:<24}{:>10}{:>10}{:>12}{:>14}\n", "subject", done, "failed", "unchecked", "elements");
  for (const auto& [subject, o] : matrix)
    fmt::print("{:<24}{:>10}{:>10}{:>12}{:>14}\n", subject, o.passed, o.failed, o.untrusted + o.skipped, o.elements);
  for (const auto& [subject, o] : matrix) {
    for (int i = 0; i < std::min(o.failed, kShown); i++) fmt::print("\nFAIL  golden.{}\n  {}\n", subject, o.failures[size_t(i)]);
    if (o.failed > kShown) fmt::print("\n{}: {} more failures\n", subject, o.failed - kShown);
  }
  std::map<std::string, std::string> reasons;
  for (const auto& [subject, o] : matrix)
    for (const auto& [reason, cases] : o.reasons) reasons[reason] += fmt::format(" {} ({})", subject, cases);
  for (const auto& [reason, where] : reasons) fmt::print("\n{}\n {}\n", reason, where);
}

/// 3 where nothing was checked, or part of what was asked proves too little.
int exit_code(const Matrix& matrix) {
  bool passed = false, untrusted = false;
  for (const auto& [subject, o] : matrix) {
    if (o.failed) return 1;
    passed |= o.passed > 0, untrusted |= o.untrusted > 0;
  }
  return passed && !untrusted ? 0 : 3;
}

std::string now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

// ---- record

Records empty_records(const Suite& suite, const Device& device) {
  return {.suite = suite.name, .multiply_adds = suite.multiply_adds_per_run(),
          .origin = golden::origin_of(device.describe(), device.backend, now())};
}

/// The records of one subject, written unless a case failed or there are none.
void record_subject(const Subject& subject, const Suite& suite, Bench& bench, const fs::path& out, Outcomes& outcomes, const std::function<void(const Case&)>& tell) {
  Records records = empty_records(suite, bench.device());
  records.subject = subject.name;
  for (const Case& c : suite.cases) {
    if (c.contract != subject.contract) continue;
    tell(c);
    golden::Take take = golden::take(bench, subject, c, records.multiply_adds);
    if (take.record)
      for (const golden::TensorRecord& t : take.record->tensors) take.verdict.tally.judged += uint64_t(t.rows * t.columns);
    outcomes.add(take.verdict);
    if (take.verdict.outcome == Outcome::fail) outcomes.failures.push_back(fmt::format("{}\n  {}", take.verdict.reason, to_line(c)));
    if (take.record) records.cases.push_back(std::move(*take.record));
  }
  if (outcomes.failed == 0 && !records.cases.empty()) golden::write_file(out / golden::place_of(records), records);
}

// ---- verify

struct Job {
  const Subject* subject;
  Records records;
};

std::vector<Job> jobs_in(const fs::path& folder, const std::vector<const Subject*>& subjects) {
  std::vector<Job> jobs;
  for (const fs::path& file : golden::files_beneath(folder)) {
    Records records = golden::read_file(file);
    for (const Subject* s : subjects)
      if (s->name == records.subject) jobs.push_back({s, std::move(records)});
  }
  return jobs;
}

/// Cases of the suite, as the program knows it, that came after the records.
void add_unrecorded(const Job& job, Outcomes& outcomes) {
  const std::vector<std::string> names = suite_names();
  if (std::find(names.begin(), names.end(), job.records.suite) == names.end()) return;
  for (const Case& c : load_suite(job.records.suite).cases)
    if (c.contract == job.subject->contract && !job.records.find(to_line(c)))
      outcomes.add(skipped(fmt::format("no record in suite {}: record anew", job.records.suite)));
}

std::string reproducer(const Job& job, const std::string& line, const BenchSettings& settings, const std::string& folder) {
  const Reproducer r{parse_case(line), job.subject->name, "golden", std::string(name(settings.backend)), settings.schedule};
  return fmt::format("{}assay repro '{}'{}", folder.empty() ? "" : fmt::format("ASSAY_RECORDS={} ", folder), to_line(r),
                     settings.image.empty() ? "" : " --image " + settings.image);
}

}  // namespace

int golden_record(const GoldenOptions& options) {
  const std::vector<const Subject*> subjects = subjects_named(options.filter);
  const Suite suite = load_suite(options.suite);
  std::error_code error;
  fs::create_directories(options.out, error);
  if (error || access(options.out.c_str(), W_OK) != 0) throw BadInput(fmt::format("--out {}: is no folder that can be written to", options.out));
  Matrix matrix;
  ProgressBar bar;
  size_t done = 0;
  for (const Subject* subject : subjects) {
    Bench bench({.backend = backend_named(options.backend), .workers = options.workers});
    if (const std::string why = bench.device().unavailable(); !why.empty()) {
      matrix[subject->name].add(skipped(fmt::format("no {} device: {}", options.backend, why)));
      continue;
    }
    record_subject(*subject, suite, bench, options.out, matrix[subject->name], [&](const Case& c) {
      bar.show(std::min(done++, suite.cases.size()), suite.cases.size() + 1, subject->name + "  " + to_line(c));
    });
  }
  bar.show(1, 1, "");
  print(matrix, "recorded");
  return exit_code(matrix);
}

int golden_verify(const GoldenOptions& options) {
  const std::vector<const Subject*> subjects = subjects_named(options.filter);
  std::error_code error;
  if (!options.records.empty() && !fs::is_directory(options.records, error))
    throw BadInput(fmt::format("--records {}: there is no such folder", options.records));
  const fs::path folder = options.records.empty() ? golden::standard_folder() : fs::path(options.records);
  BenchSettings settings{.backend = backend_named(options.backend), .workers = options.workers, .image = options.image};
  Matrix matrix;
  ProgressBar bar;
  const std::vector<Job> jobs = jobs_in(folder, subjects);
  size_t done = 0, all = 0;
  for (const Job& job : jobs) all += job.records.cases.size();
  for (const Job& job : jobs) {
    settings.multiply_adds = job.records.multiply_adds;
    Bench bench(settings);
    Outcomes& outcomes = matrix[job.subject->name];
    for (const golden::Record& record : job.records.cases) {
      bar.show(done++, all, job.subject->name + "  " + record.line);
      const Verdict verdict = golden::verify(bench, *job.subject, record, job.records.origin);
      outcomes.add(verdict);
      if (verdict.outcome == Outcome::fail)
        outcomes.failures.push_back(fmt::format("{}\n  {}", verdict.reason, reproducer(job, record.line, settings, options.records)));
    }
    add_unrecorded(job, outcomes);
  }
  bar.show(all, all, "");
  for (const Subject* subject : subjects)
    if (!matrix.count(subject->name)) matrix[subject->name].add(skipped(fmt::format("no golden records under {}", folder.string())));
  print(matrix, "passed");
  return exit_code(matrix);
}

}  // namespace assay::tools
