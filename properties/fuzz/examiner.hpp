// What a worker does: tries a case under laws, or reduces the operands of one that fails. Tasks and what comes of them are lines of text,
// to travel between processes and to lie in a journal.
#pragma once
#include <optional>

#include "fixtures/law.hpp"
#include "properties/crew/asked.hpp"
#include "properties/fuzz/coverage.hpp"

namespace assay::properties {

struct Task {
  enum class Kind : uint8_t { check, reduce } kind = Kind::check;
  std::string subject, law;  // law: empty for all of them (check)
  Case problem;
};
std::string to_text(const Task&);

/// The elements of one operand, row by row.
struct Contents {
  std::string tensor;
  std::vector<uint64_t> codes;
};

struct TaskResult {
  std::vector<LawVerdict> laws;    // those that apply
  std::vector<SeenCodes> codes;    // check of all laws
  std::vector<Contents> contents;  // reduce: of every operand; empty where the failure hangs on the fill's random signs
};
std::string to_text(const TaskResult&);
/// Throws BadInput if it is none.
TaskResult result_of(std::string_view text);

/// A worker's part: subjects and laws by name, on a bench of its own.
Work examiner(std::vector<const Subject*>, std::vector<const Law*>, const BenchSettings&);

/// The words of a reason before its first number or index: failures of one kind have them in common.
std::string kind_of_failure(const std::string& reason);

}  // namespace assay::properties
