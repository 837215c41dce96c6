#include "golden/approve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "golden/explain.hpp"
#include "golden/file.hpp"
#include "golden/fit.hpp"
#include "golden/hash.hpp"
#include "golden/store.hpp"

namespace assay::golden {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void complain(const fs::path& file, const std::string& what) {
  throw BadInput(fmt::format("golden file {}: {}", file.string(), what));
}

bool same_bits(const TensorRecord& a, const TensorRecord& b) {
  return a.name == b.name && a.format == b.format && a.rows == b.rows && a.columns == b.columns && a.tile_rows == b.tile_rows &&
         a.tile_columns == b.tile_columns && a.words == b.words;
}

bool same_bits(const Record& a, const Record& b) {
  return a.operands == b.operands && std::ranges::equal(a.tensors, b.tensors, [](const auto& x, const auto& y) { return same_bits(x, y); });
}

/// The outputs as they were recorded; nothing where part of them is hashes, or of another shape than the contract's.
std::optional<Run> run_of(const Record& record, const Case& c) {
  Run run{.poison = 0xA5};
  for (const TensorSpec& spec : c.definition().tensors(c.parameters)) {
    if (spec.role == Role::input) continue;
    const auto r = std::ranges::find(record.tensors, spec.name, &TensorRecord::name);
    if (r == record.tensors.end() || r->tiled() || r->format != spec.format || r->rows != spec.rows() || r->columns != spec.width())
      return {};
    run.outputs.push_back(restored(*r, spec));
  }
  return run;
}

/// Of records whose elements are not known: how many words of which outputs differ.
std::string words_that_differ(const Record& was, const Record& is) {
  std::string text;
  for (const TensorRecord& t : is.tensors) {
    const auto old = std::ranges::find(was.tensors, t.name, &TensorRecord::name);
    if (old == was.tensors.end() || old->words.size() != t.words.size()) return t.name + " is recorded in another form";
    size_t differing = 0;
    for (size_t i = 0; i < t.words.size(); i++) differing += t.words[i] != old->words[i];
    if (differing)
      text += fmt::format("{}{}: {} of {} {} differ", text.empty() ? "" : "; ", t.name, differing, t.words.size(),
                          t.tiled() ? "tiles" : "elements");
  }
  return text +
         fmt::format("; the new bits: {}; the recorded ones: {}", is.verdict, was.verdict.empty() ? "no verdict was kept" : was.verdict);
}

/// Compares and judges a case that is added (`was` null) or changed.
void look_at(CaseChange& change, Bench& bench, const Subject& subject, const Record* was, const Record& is) {
  const Case c = parse_case(is.line);
  if (auto why = bench.refusal(subject, c)) {
    change.refusal = *why;
    return;
  }
  const Tensors& before = bench.operands(c);
  if (hash_of_operands(before) != is.operands) {
    change.refusal = "its operands are not those that this program makes of the case";
    return;
  }
  const std::optional<Run> run = run_of(is, c);
  Verdict verdict;
  if (run && was && was->operands == is.operands) {
    const Explanation e = explain(bench, subject, c, before, *run, *was);
    change.text = summary(e), change.details = details(e);
    if (e.found) verdict = *e.found;
  } else {
    if (run) verdict = bench.verdict_on(subject, c, before, *run);
    if (was) change.text = was->operands == is.operands ? words_that_differ(*was, is) : "the operands are others than when it was recorded";
  }
  if (verdict.outcome == Outcome::fail) change.refusal = "does not conform: " + verdict.reason;
}

CaseChange change_of(Bench& bench, const Subject& subject, const Record* was, const Record& is, const Records& of) {
  CaseChange change{.line = is.line, .fate = !was ? Fate::added : same_bits(*was, is) ? Fate::same : Fate::changed};
  if (const auto why = unlike_recorded(is, of, subject))
    change.refusal = *why;
  else if (change.fate != Fate::same) look_at(change, bench, subject, was, is);
  if (!change.refusal.empty()) return change;
  if (is.verdict.empty())
    change.refusal = "has no verdict: record it with this program";
  else if (!is.conforms())
    change.refusal = "does not conform, as it was recorded: " + is.verdict;
  return change;
}

/// Where the file belongs: a name in a folder of a folder, and no way out of them.
fs::path checked_place(const fs::path& file, const Records& records) {
  const fs::path place = place_of(records);
  const auto is_plain = [](const fs::path& part) {
    return std::ranges::all_of(part.string(), [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-' || c == '.'; }) &&
           part.string()[0] != '.';
  };
  if (std::distance(place.begin(), place.end()) != 3 || !std::ranges::all_of(place, is_plain) || records.origin.compute_capability == 0)
    complain(file, fmt::format("belongs to {}, which is no <architecture>/<suite>/<subject>.h5", place.string()));
  return place;
}

FileChange change_of(const fs::path& file, const fs::path& standing) {
  FileChange change{.file = file, .records = read_records(file)};
  const Subject& subject = *find<Subject>(change.records.subject);
  change.place = checked_place(file, change.records);
  std::optional<Records> old;
  try {
    if (fs::exists(standing / change.place)) old = read_file(standing / change.place);
  } catch (const BadInput& e) {  // what stands there is replaced
    change.unreadable = e.what();
  }
  Bench bench({});
  for (const Record& is : change.records.cases)
    change.cases.push_back(change_of(bench, subject, old ? old->find(is.line) : nullptr, is, change.records));
  if (old)
    for (const Record& was : old->cases)
      if (!change.records.find(was.line)) change.cases.push_back({.line = was.line, .fate = Fate::removed});
  return change;
}

}  // namespace

std::string_view name(Fate fate) {
  switch (fate) {
    case Fate::same: return "same";
    case Fate::changed: return "changed";
    case Fate::added: return "added";
    case Fate::removed: return "removed";
  }
  return "?";
}

size_t FileChange::count(Fate fate) const { return size_t(std::ranges::count(cases, fate, &CaseChange::fate)); }
bool FileChange::refused() const {
  return std::ranges::any_of(cases, [](const CaseChange& c) { return !c.refusal.empty(); });
}

std::vector<FileChange> changes_between(const fs::path& fresh, const fs::path& standing) {
  std::vector<FileChange> all;
  std::set<fs::path> places;
  for (const fs::path& file : files_beneath(fresh)) {
    all.push_back(change_of(file, standing));
    if (!places.insert(all.back().place).second)
      complain(file, fmt::format("another file of this folder is for {} too", all.back().place.string()));
  }
  if (all.empty()) throw BadInput(fmt::format("{}: holds no golden files: want a folder that assay golden record wrote", fresh.string()));
  return all;
}

void replace_files(const std::vector<FileChange>& files, const fs::path& standing) {
  auto beside = [&](const FileChange& f) { return fs::path((standing / f.place).string() + ".part"); };
  std::error_code error;
  for (const FileChange& f : files) {
    fs::create_directories((standing / f.place).parent_path(), error);
    if (!error) fs::copy_file(f.file, beside(f), fs::copy_options::overwrite_existing, error);
    if (!error) continue;
    const std::string why = error.message();
    for (const FileChange& other : files) fs::remove(beside(other), error);
    complain(standing / f.place, "cannot be written: " + why);
  }
  for (const FileChange& f : files) {
    fs::rename(beside(f), standing / f.place, error);
    if (error) complain(standing / f.place, "cannot be replaced: " + error.message());
  }
}

}  // namespace assay::golden
