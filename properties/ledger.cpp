#include "properties/ledger.hpp"

#include <fnmatch.h>

#include "fixtures/case/shown.hpp"
#include "fixtures/read_file.hpp"
#include "fixtures/suite/embedded.hpp"
#include "properties/toml.hpp"

namespace assay {

std::span<const EmbeddedFile> ledger_data();

namespace properties {
namespace {

constexpr size_t kLongest = size_t{16} << 20;  // bytes of a file: some 50,000 entries

constexpr std::string_view kKeys[] = {"subject", "law", "backend", "case", "reason", "link"};

bool matches(const std::string& pattern, std::string_view text) { return fnmatch(pattern.c_str(), std::string(text).c_str(), 0) == 0; }

template <class T>
void require_any(const char* kind, const std::string& pattern) {
  for (const T& entry : registry<T>())
    if (matches(pattern, entry.name)) return;
  throw std::runtime_error(fmt::format("is stale: there is no {} '{}'", kind, shown(pattern)));
}

KnownFailure entry_of(const toml::table& table) {
  require_known_keys(table, kKeys);
  KnownFailure entry{.subject = text_of(table, "subject"),
                     .law = text_of(table, "law"),
                     .line = text_if_any(table, "case", "*"),
                     .reason = text_of(table, "reason"),
                     .link = text_of(table, "link")};
  if (table.contains("backend")) entry.backend = backend_named(text_of(table, "backend"));
  if (entry.link.find("://") == entry.link.npos) throw std::runtime_error(fmt::format("link '{}' is no URL", shown(entry.link)));
  require_any<Subject>("subject", entry.subject);
  require_any<Law>("law", entry.law);
  return entry;
}

Ledger entries_of(const std::string& name, const toml::table& file) {
  for (const auto& [key, value] : file)
    if (key.str() != "failure" || !value.is_array_of_tables())
      throw BadInput(fmt::format("ledger {}, line {}: '{}': want [[failure]]", name, value.source().begin.line, shown(key.str())));
  Ledger all;
  if (const toml::array* failures = file["failure"].as_array())
    for (const auto& node : *failures) {
      const std::string place = fmt::format("ledger {}, line {}", name, node.source().begin.line);
      try {
        all.push_back(entry_of(*node.as_table()));
        all.back().place = place;
      } catch (const std::runtime_error& e) {
        throw BadInput(fmt::format("{}: {}", place, e.what()));
      }
    }
  return all;
}

}  // namespace

bool KnownFailure::speaks_of(std::string_view s, std::string_view l, Backend b, const Case& c) const {
  return matches(subject, s) && matches(law, l) && (!backend || *backend == b) && matches(line, to_line(c));
}

Ledger parse_ledger(const std::string& name, std::string_view text) {
  try {
    require_ascii_outside_texts(text);
  } catch (const std::runtime_error& e) {
    throw BadInput(fmt::format("ledger {}, {}", name, e.what()));
  }
  try {
    return entries_of(name, toml::parse(text, name));
  } catch (const toml::parse_error& e) {
    throw BadInput(fmt::format("ledger {}, line {}: {}", name, e.source().begin.line, e.description()));
  }
}

Ledger load_ledger(const std::string& path) {
  return parse_ledger(path, file_contents("ledger", path, kLongest));
}

Ledger committed_ledger() { return parse_ledger("properties/ledger.toml", ledger_data().front().text); }

}  // namespace properties
}  // namespace assay
