// Which cells of the matrix a command is about.
#pragma once
#include <string>
#include <vector>

#include "fixtures/law.hpp"

namespace assay::tools {

/// Whether a name fits a pattern with * and ?.
bool matches(const std::string& pattern, const std::string& name);

struct Selection {
  std::vector<const Subject*> subjects;
  std::vector<const Law*> laws;
};

/// Words are names of subjects, contracts or laws, or law.subject; `*` stands for anything. Kinds are crossed: a subject and a law select
/// their one cell. Throws BadInput naming a word that matches nothing, with what there is.
Selection select(const std::vector<std::string>& words);

/// The subjects alone, for a command that has no laws: it is named where a word selects one.
std::vector<const Subject*> subjects_named(const std::vector<std::string>& words, std::string_view command);

}  // namespace assay::tools
