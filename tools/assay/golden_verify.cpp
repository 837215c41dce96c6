#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>

#include "fixtures/suite/suite.hpp"
#include "golden/fit.hpp"
#include "golden/store.hpp"
#include "golden/verify.hpp"
#include "tools/assay/commands.hpp"
#include "tools/assay/filter.hpp"
#include "tools/assay/golden.hpp"
#include "tools/assay/progress.hpp"

namespace assay::tools {
namespace {

namespace fs = std::filesystem;
using golden::Records;

struct Job {
  const Subject* subject;
  Records records;
};

std::vector<Job> jobs_in(const fs::path& folder, const std::vector<const Subject*>& subjects) {
  std::vector<Job> jobs;
  std::map<fs::path, fs::path> met;
  for (const fs::path& file : golden::files_beneath(folder)) {
    const auto subject = std::find_if(subjects.begin(), subjects.end(), [&](const Subject* s) { return s->name == file.stem(); });
    if (subject == subjects.end()) continue;
    Records records = golden::read_records(file);
    if (const auto [other, is_new] = met.emplace(golden::place_of(records), file); !is_new)
      throw BadInput(fmt::format("golden file {}: {} is for {} too", file.string(), other->second.string(), other->first.string()));
    jobs.push_back({*subject, std::move(records)});
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

using Tell = std::function<void(const std::string& what)>;

void verify_job(const Job& job, BenchSettings settings, const std::string& folder, Outcomes& outcomes, const Tell& tell) {
  settings.multiply_adds = job.records.multiply_adds;
  Bench bench(settings);
  for (const golden::Record& record : job.records.cases) {
    tell(job.subject->name + "  " + record.line);
    const golden::Verified verified = golden::verify(bench, *job.subject, record, job.records.origin);
    outcomes.add(verified.verdict, verified.within_bounds);
    if (verified.verdict.outcome != Outcome::fail) continue;
    std::string text = verified.verdict.reason;
    for (const std::string& line : verified.details) text += "\n    " + line;
    outcomes.failures.push_back(fmt::format("{}\n  {}", text, reproducer(job, record.line, settings, folder)));
  }
  add_unrecorded(job, outcomes);
}

}  // namespace

int golden_verify(const GoldenOptions& options) {
  const std::vector<const Subject*> subjects = subjects_named(options.filter, "golden");
  const BenchSettings settings{.backend = backend_named(options.backend), .workers = options.workers, .image = options.image};
  const fs::path folder = golden_folder(options);
  const std::vector<Job> jobs = jobs_in(folder, subjects);
  size_t done = 0, all = 0;
  for (const Job& job : jobs) all += job.records.cases.size();
  Matrix matrix;
  ProgressBar bar;
  for (const Job& job : jobs)
    verify_job(job, settings, options.records, matrix[job.subject->name], [&](const std::string& what) { bar.show(done++, all, what); });
  bar.show(all, all, "");
  for (const Subject* subject : subjects)
    if (!matrix.count(subject->name)) matrix[subject->name].add(skipped(fmt::format("no golden records under {}", folder.string())));
  print(matrix, "passed");
  return exit_code(matrix);
}

}  // namespace assay::tools
