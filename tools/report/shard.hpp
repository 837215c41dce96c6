// The report of a shard, which `assay check --shard k/n --json` writes: a report with what single cases gave; and how such reports are
// joined.
//
// Joined, they are the report that the whole run would have written, byte for byte, but for `seconds`, which is the sum of theirs.
#pragma once
#include "tools/report/notes.hpp"
#include "tools/report/report.hpp"

namespace assay::report {

/// What makes a report that of a shard.
struct Part {
  properties::Shard shard;
  std::string identity;  // of the run: properties::identity
  properties::Sheets sheets;
  std::vector<Undeclared> undeclared;
};

struct ShardReport {
  std::string path;
  Report report;  // without cells
  Part part;
};

/// With a hash of all of it, so that a file that was damaged is known for one.
std::string to_json(const Report&, const Part&);

/// Throws BadInput naming the file and what is wrong: unreadable, no report of a shard, damaged, of another version of the program.
ShardReport read_shard(const std::string& path);

/// Throws BadInput where a shard is missing or there twice, or where they are not of one run on one kind of device.
Report merged(std::vector<ShardReport>);

}  // namespace assay::report
