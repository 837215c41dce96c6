// Subjects from outside on the command line: --plugin.
#pragma once
#include <optional>

#include "fixtures/plugin/plugin.hpp"
#include "properties/check.hpp"
#include "tools/assay/filter.hpp"

namespace assay::tools {

struct Plugins {
  Backend backend = Backend::emu;
  std::vector<std::string> files;

  /// All that the files brought.
  std::vector<const Subject*> subjects() const;
  /// With plug-ins: of the selection their subjects, and ours that a word names in full.
  Selection only(Selection, const std::vector<std::string>& words) const;
};

/// Adds the subjects of the files to the registry, so it comes before anything that keeps pointers into it. `backend`: what was asked for;
/// empty: what the plug-ins were built for, emu without any. Throws BadInput.
Plugins load_plugins(const std::vector<std::string>& files, const std::string& backend, const std::string& image);

/// For each of the subjects that declares no arithmetic although its contract could round: what was assumed, which laws could not check it,
/// and how much wider its bounds are than those of another subject, on the first of the cases that both take.
std::vector<std::string> notes_on_undeclared(const std::vector<const Subject*>&, const std::vector<properties::Cell>&,
                                             const std::vector<Case>&);

}  // namespace assay::tools
