#include "properties/crew/asked.hpp"

#include <algorithm>

#include "properties/crew/words.hpp"

namespace assay::properties {

LawVerdict not_asked(const std::string& law) { return {law, skipped("not asked on a case: another law had ended its process")}; }

bool is_broken(const Bench& bench) {
  if (bench.settings().backend != Backend::cuda) return false;
  try {
    bench.device().synchronize();
    return false;
  } catch (const DeviceError&) {
    return true;
  }
}

namespace {

/// Where the kernel left the GPU broken on the way, what the GPU says of it.
Verdict judged(const Law& law, Bench& bench, const Subject& subject, const Case& c) {
  try {
    return verdict_of(law, bench, subject, c);
  } catch (const DeviceError& e) {
    if (!is_broken(bench)) throw;
    return failed(e.what());
  }
}

}  // namespace

Asked asked(Bench& bench, const Subject& subject, const std::vector<const Law*>& laws, const Case& c, const Say& say) {
  std::vector<const Law*> apply;
  for (const Law* law : laws)
    if (law->applies(subject, c)) apply.push_back(law);
  std::ranges::stable_partition(apply, [](const Law* law) { return law->name == "conforms"; });
  for (const Law* law : apply) say("law " + law->name);
  Asked all;
  for (const Law* law : apply) {
    if (all.broken) {
      all.left.push_back(law->name);
      continue;
    }
    all.verdicts.push_back({law->name, judged(*law, bench, subject, c)});
    say(to_text(all.verdicts.back()));
    all.broken = all.verdicts.back().verdict.outcome != Outcome::skip && is_broken(bench);   // where there is no GPU, each law is skipped
  }
  return all;
}

Asked asked_by(const Reply& death, const std::string& first) {
  Asked all;
  for (const std::string& line : death.said) {
    if (line.starts_with("law ")) {
      all.left.push_back(line.substr(4));
      continue;
    }
    all.verdicts.push_back(law_verdict_of(line));
    std::erase(all.left, all.verdicts.back().law);
  }
  if (all.left.empty()) {
    std::erase_if(all.verdicts, [&](const LawVerdict& l) { return l.law == first; });
    all.verdicts.push_back({first, failed(death.text)});
  } else {
    all.verdicts.push_back({all.left.front(), failed(death.text)});
    all.left.erase(all.left.begin());
  }
  return all;
}

}  // namespace assay::properties
