// Subjects from outside on the command line: --plugin.
#pragma once
#include <optional>

#include "fixtures/plugin/plugin.hpp"
#include "properties/check.hpp"
#include "tools/assay/commands.hpp"
#include "tools/assay/filter.hpp"
#include "tools/report/notes.hpp"

namespace assay::tools {

struct Plugins {
  Backend backend = Backend::emu;
  std::vector<std::string> files;

  /// All that the files brought.
  std::vector<const Subject*> subjects() const;
  /// With plug-ins: of the selection their subjects, and ours that a word names in full.
  Selection only(Selection, const std::vector<std::string>& words) const;
};

/// Whether kernels run in other processes. Those of others may take their process with them, and any kernel may leave a GPU that answers its
/// process no more.
bool isolates(const IsolationOptions&, const Plugins&);
properties::Limits limits_of(const IsolationOptions&, Backend);

/// A plug-in, once a child process has shown that loading it comes to an end. What it prints meanwhile goes nowhere. Throws BadInput.
Plugin loaded(const std::string& file);

/// Adds the subjects of the files to the registry, so it comes before anything that keeps pointers into it. `backend`: what was asked for;
/// empty: what the plug-ins were built for, emu without any. Throws BadInput.
Plugins load_plugins(const std::vector<std::string>& files, const std::string& backend, const std::string& image);

/// Of the subjects that declare no arithmetic: what was assumed, and how much wider their bounds are than those of another subject, on the
/// first of the cases that both take. In child processes with limits where there are any, since plug-ins are asked what they take.
std::vector<report::Undeclared> undeclared(const std::vector<const Subject*>&, const std::vector<Case>&, const std::optional<properties::Limits>&);

}  // namespace assay::tools
