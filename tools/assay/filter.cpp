#include "tools/assay/filter.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <set>

#include "fixtures/case/shown.hpp"

namespace assay::tools {
namespace {

template <class T>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  for (const T& entry : registry<T>()) names.push_back(entry.name);
  return names;
}

template <class T>
std::vector<const T*> chosen(const std::set<std::string>& names) {
  std::vector<const T*> all;
  for (const T& entry : registry<T>())
    if (names.empty() || names.count(entry.name)) all.push_back(&entry);
  return all;
}

struct Names {
  std::set<std::string> subjects, laws;

  bool add(const std::string& pattern) {
    const size_t before = subjects.size() + laws.size();
    bool known = false;
    for (const Subject& s : registry<Subject>())
      if (matches(pattern, s.name) || matches(pattern, s.contract)) known = true, subjects.insert(s.name);
    for (const Law& l : registry<Law>())
      if (matches(pattern, l.name)) known = true, laws.insert(l.name);
    return known || subjects.size() + laws.size() > before;
  }
};

}  // namespace

bool matches(const std::string& pattern, const std::string& name) { return fnmatch(pattern.c_str(), name.c_str(), 0) == 0; }

Selection select(const std::vector<std::string>& words) {
  Names names;
  for (const std::string& word : words) {
    const size_t dot = word.find('.');
    const bool known = names.add(word) || (dot != word.npos && names.add(word.substr(0, dot)) && names.add(word.substr(dot + 1)));
    if (!known)
      throw BadInput(fmt::format("'{}' is no subject, contract or law: subjects are {}; laws are {}", shown(word),
                                 fmt::join(names_of<Subject>(), ", "), fmt::join(names_of<Law>(), ", ")));
  }
  return {chosen<Subject>(names.subjects), chosen<Law>(names.laws)};
}

std::vector<const Subject*> subjects_named(const std::vector<std::string>& words, std::string_view command) {
  const Selection selection = select(words);
  if (selection.laws.size() != registry<Law>().size())
    throw BadInput(fmt::format("{} takes subjects and contracts, no laws: see assay list", command));
  return selection.subjects;
}

}  // namespace assay::tools
