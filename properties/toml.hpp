// What the TOML files of this folder share: the parser, and strict reading of a table. Complaints are std::runtime_error without a file's
// name, which the caller knows.
#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

// toml++ 3.0 asserts what some malformed files break, and reports them itself where the assertion is left out, as in its release builds.
#define TOML_ASSERT(condition) static_cast<void>(0)
#include <toml++/toml.h>

namespace assay::properties {

/// toml++ 3.0 has undefined behaviour over letters beyond ASCII outside of texts and comments, where TOML allows none: they are refused before.
inline void require_ascii_outside_texts(std::string_view text) {
  size_t line = 1;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    size_t end = i + 1;
    if (c & 0x80) throw std::runtime_error(fmt::format("line {}: a letter beyond ASCII outside of texts and comments", line));
    if (c == '#') {
      end = std::min(text.find('\n', i), text.size());
    } else if (c == '"' || c == '\'') {
      const std::string quotes(text.substr(i, 3) == std::string(3, c) ? 3 : 1, c);
      for (end = i + quotes.size(); end < text.size() && text.substr(end, quotes.size()) != quotes; end += c == '"' && text[end] == '\\' ? 2 : 1)
        if (quotes.size() == 1 && text[end] == '\n') break;
      end = std::min(end + quotes.size(), text.size());
    }
    line += size_t(std::count(text.begin() + std::ptrdiff_t(i), text.begin() + std::ptrdiff_t(end), '\n'));
    i = end;
  }
}

inline std::string text_of(const toml::table& table, const char* key) {
  const auto value = table[key].value<std::string>();
  if (!value || value->empty()) throw std::runtime_error(fmt::format("needs a text '{}'", key));
  return *value;
}

inline std::string text_if_any(const toml::table& table, const char* key, std::string standard = {}) {
  if (!table.contains(key)) return standard;
  return text_of(table, key);
}

inline void require_known_keys(const toml::table& table, std::span<const std::string_view> keys) {
  for (const auto& [key, value] : table)
    if (std::ranges::find(keys, key.str()) == keys.end())
      throw std::runtime_error(fmt::format("unknown key '{}': want {}", key.str(), fmt::join(keys, ", ")));
}

}  // namespace assay::properties
