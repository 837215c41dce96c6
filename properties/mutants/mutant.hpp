// A mutant: one fault planted in a kernel, as data. The laws are tested by whether they kill it.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace assay::properties {

struct Mutant {
  std::string name;                      // of its file
  std::filesystem::path path;            // of its file
  std::string kernel, file;              // kernels/<kernel>/<file>
  std::string subject;                   // that runs it: the one called like the kernel, unless the file names another
  std::string class_of_bug;              // "indexing", "rounding", "synchronisation", ...
  std::string models;                    // the real-world mistake, in one sentence
  std::vector<std::string> detectors;    // laws that must kill it
  std::string harmless;                  // why no law may accuse it: legal, or equivalent to the original; empty: it is a fault
  std::string witness;                   // line of a case that shows it, where drawn ones cannot; empty: none is needed
  std::string find, replace;             // `find` occurs exactly once in the kernel

  /// The image that the build makes of it.
  std::string image() const { return kernel + "+" + name; }
};

/// Reads a mutant's file; std::runtime_error with file, place and what is wrong.
Mutant load_mutant(const std::filesystem::path&);

/// The files of a folder, by name.
std::vector<std::filesystem::path> mutant_files(const std::filesystem::path& folder);

/// All of a folder, by name.
std::vector<Mutant> load_mutants(const std::filesystem::path& folder);

/// The kernel's text with the mutant applied. std::runtime_error unless `find` occurs exactly once: a mutant that no longer applies has gone
/// stale with its kernel and must be rewritten.
std::string mutated(const Mutant&, const std::string& source);

}  // namespace assay::properties
