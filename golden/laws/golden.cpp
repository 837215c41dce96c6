// The bits are those that were recorded, by default those of the GPU. Applies to cases of which the standard folder has a record.
#include "fixtures/law.hpp"
#include "golden/store.hpp"
#include "golden/verify.hpp"

namespace assay::golden {
namespace {

bool applies(const Subject& subject, const Case& c) {
  const std::string line = to_line(c);
  for (const Records& records : standard_records(subject.name))
    if (records.find(line)) return true;
  return false;
}

/// Against every record of the case; one whose claim does not hold here says nothing if another one's does.
Verdict check(Bench& bench, const Subject& subject, const Case& c) {
  const std::string line = to_line(c);
  Verdict all = skipped("no golden record of this case");
  for (const Records& records : standard_records(subject.name))
    if (const Record* record = records.find(line)) {
      const Verdict verdict = verify(bench, subject, *record, records.origin).verdict;
      if (all.outcome == Outcome::skip)
        all = verdict;
      else if (verdict.outcome != Outcome::skip)
        all += verdict;
    }
  return all;
}

const Registered<Law> registered{{
    .name = "golden",
    .claim = "the bits are those that were recorded on the GPU",
    .applies = applies,
    .check = check,
}};

}  // namespace
}  // namespace assay::golden
