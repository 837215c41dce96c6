#include "properties/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>

#include "fixtures/law.hpp"
#include "properties/compared.hpp"

namespace assay::properties {
namespace {

/// What the emulator says of a launch that it ended (kernels/simt/runtime/fault.cpp).
constexpr std::string_view kEndless = "an endless loop";

/// Two tiles of two slices each, one stripe with parts of both, are 102,400 multiply-adds: the smallest case of some faults.
constexpr double kMultiplyAdds = 3e5;

/// Seconds that a thread may run without meeting others: a case of kMultiplyAdds takes milliseconds, under the checker tenths of a second.
constexpr double kPatience = 5;

/// One block after another: what depends on the order in which blocks arrive must show on the same case every time.
constexpr int kWorkers = 1;

struct Hangs {
  std::string why;
};

/// One image under every law that speaks of it.
class Court {
 public:
  explicit Court(const Mutant& mutant)
      : subject(*find<Subject>(mutant.subject)), emulated({.workers = kWorkers, .patience = kPatience, .image = mutant.image()}) {
    // The build makes these the checker's image too.
    if (!mutant.harmless.empty() || std::ranges::find(mutant.detectors, "clean") != mutant.detectors.end())
      checked.emplace(BenchSettings{.backend = Backend::checked, .workers = kWorkers, .patience = kPatience, .image = mutant.image()});
  }

  const Subject& subject;

  /// The law's failure on the case, or nothing.
  std::optional<std::string> fails(const Law& law, const Case& c) {
    Bench* bench = !law.only || *law.only == Backend::emu ? &emulated : *law.only == Backend::checked && checked ? &*checked : nullptr;
    if (!bench || law.name == "golden" || !law.applies(subject, c)) return {};
    const Verdict verdict = verdict_of(law, *bench, subject, c);
    if (verdict.outcome != Outcome::fail) return {};
    if (verdict.reason.find(kEndless) != std::string::npos) throw Hangs{verdict.reason};
    return verdict.reason;
  }

  Bench& bench() { return emulated; }

 private:
  Bench emulated;
  std::optional<Bench> checked;
};

/// The laws that fail on a case, `conforms` first.
std::vector<std::pair<const Law*, std::string>> failures(Court& court, const Case& c) {
  std::vector<std::pair<const Law*, std::string>> all;
  for (const Law& law : registry<Law>())
    if (auto why = court.fails(law, c)) all.emplace_back(&law, *why);
  std::ranges::stable_partition(all, [](const auto& f) { return f.first->name == "conforms"; });
  return all;
}

/// Ordinary data of the same shape, if they show the fault too; else the case itself.
Case ordinary(Court& court, const Case& c) {
  Case normal = c;
  normal.fill = Fill::normal;
  return court.fails(*find<Law>("conforms"), normal) ? normal : c;
}

void hear_others(Court& court, Trial& trial) {
  const Case c = ordinary(court, trial.first);
  Bench& bench = court.bench();
  const ComparedOutput output = compared(court.subject, c, bench.operands(c), bench.run(court.subject, c));
  if (output.elements.empty()) return;
  trial.compared_on = to_line(c), trial.accepted = ask_others(output);
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw BadInput("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A mutant that no longer applies, or whose image is missing or older than its file, says nothing. Throws with the reason.
void require_usable(const Mutant& mutant, const std::filesystem::path& kernels) {
  const std::filesystem::path image = images_folder() / (mutant.image() + ".emu.so");
  if (!std::filesystem::exists(image)) throw BadInput("not built: there is no " + image.string());
  if (kernels.empty()) return;
  mutated(mutant, contents(kernels / mutant.kernel / mutant.file));
  if (std::filesystem::last_write_time(image) < std::filesystem::last_write_time(mutant.path))
    throw BadInput("its image is older than its file, so the last build of it failed or is missing: " + image.string());
}

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); }

 private:
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

/// Tries cases until a law fails; then shrinks under that law.
void search(Court& court, const TrialSettings& settings, Trial& trial) {
  const Stopwatch watch;
  const Law* locked = nullptr;
  std::exception_ptr broken;   // a hang or a bad image ends the search: RapidCheck would take it for a failure of the case
  const auto tried = [&](const Case& c) -> std::optional<std::string> {
    if (locked) return court.fails(*locked, c);
    trial.cases++;
    const auto found = failures(court, c);
    if (found.empty()) return {};
    locked = found.front().first, trial.seconds = watch.seconds(), trial.first = trial.smallest = c;
    for (const auto& [law, why] : found) trial.laws.push_back(law->name);
    return found.front().second;
  };
  const Failure fails = [&](const Case& c) -> std::optional<std::string> {
    if (broken) return {};
    try {
      return tried(c);
    } catch (...) {
      broken = std::current_exception();
      return {};
    }
  };
  if (!trial.mutant.witness.empty()) {
    const Case c = parse_case(trial.mutant.witness);
    if (c.contract != court.subject.contract) throw BadInput(fmt::format("its case is of {}, its subject of {}", c.contract, court.subject.contract));
    if (auto why = court.bench().refusal(court.subject, c)) throw BadInput("its case cannot run: " + *why);
    trial.reason = fails(c).value_or("");
  } else {
    const int cases = trial.mutant.harmless.empty() ? settings.cases : settings.benign_cases;
    const auto found = find_failure(*find<Contract>(court.subject.contract), search_for_faults(court.subject, cases, settings.seed), fails);
    if (found) trial.smallest = found->smallest, trial.reason = found->why;
  }
  if (broken) std::rethrow_exception(broken);
  if (!locked) trial.seconds = watch.seconds();
}

}  // namespace

Search search_for_faults(const Subject& subject, int cases, uint64_t seed) {
  return {.seed = seed, .cases = cases, .multiply_adds = kMultiplyAdds,
          .wanted = [&subject](const Case& c) { return !subject.refuses || !subject.refuses(c.parameters); }};
}

std::string_view name(Fate fate) {
  switch (fate) {
    case Fate::killed: return "killed";
    case Fate::survived: return "SURVIVED";
    case Fate::unaccused: return "unaccused";
    case Fate::accused: return "ACCUSED";
    case Fate::unusable: return "UNUSABLE";
  }
  return "?";
}

Trial try_mutant(const Mutant& mutant, const TrialSettings& settings) {
  Trial trial{.mutant = mutant};
  try {
    if (!find<Subject>(mutant.subject)) throw BadInput("there is no subject '" + mutant.subject + "'");
    for (const std::string& law : mutant.detectors)
      if (!find<Law>(law)) throw BadInput("there is no law '" + law + "'");
    require_usable(mutant, settings.kernels);
    Court court(mutant);
    search(court, settings, trial);
    const bool seen = !trial.laws.empty();
    trial.fate = mutant.harmless.empty() ? (seen ? Fate::killed : Fate::survived) : (seen ? Fate::accused : Fate::unaccused);
    if (trial.fate == Fate::killed) hear_others(court, trial);
  } catch (const Hangs& h) {
    trial.fate = Fate::unusable, trial.reason = h.why, trial.laws.clear();
  } catch (const std::runtime_error& e) {
    trial.fate = Fate::unusable, trial.reason = e.what(), trial.laws.clear();
  }
  return trial;
}

Trial try_mutant_file(const std::filesystem::path& path, const TrialSettings& settings) {
  try {
    return try_mutant(load_mutant(path), settings);
  } catch (const std::runtime_error& e) {
    return {.mutant = {.name = path.stem().string(), .path = path}, .fate = Fate::unusable, .reason = e.what()};
  }
}

}  // namespace assay::properties
