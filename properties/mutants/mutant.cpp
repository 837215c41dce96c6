#include "properties/mutants/mutant.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "properties/toml.hpp"

namespace assay::properties {
namespace {

std::vector<std::string> texts_of(const toml::table& table, const char* key) {
  std::vector<std::string> texts;
  if (!table.contains(key)) return texts;
  const toml::array* all = table[key].as_array();
  if (!all) throw std::runtime_error(fmt::format("'{}' is not a list of texts", key));
  for (const auto& entry : *all) {
    const auto text = entry.value_exact<std::string>();
    if (!text || text->empty()) throw std::runtime_error(fmt::format("'{}', entry {}: is not a text", key, texts.size() + 1));
    if (std::ranges::find(texts, *text) != texts.end()) throw std::runtime_error(fmt::format("'{}' names '{}' twice", key, *text));
    texts.push_back(*text);
  }
  return texts;
}

constexpr std::string_view kKeys[] = {"kernel", "file", "subject", "class", "models", "detectors", "harmless", "case", "find", "replace"};

Mutant parse(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path)) throw std::runtime_error("is not a regular file");
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  require_ascii_outside_texts(text);
  const toml::table table = toml::parse(text, path.string());
  require_known_keys(table, kKeys);
  const std::string kernel = text_of(table, "kernel"), harmless = text_if_any(table, "harmless");
  const std::vector<std::string> detectors = texts_of(table, "detectors");
  if (detectors.empty() == harmless.empty()) throw std::runtime_error("needs either a list of texts 'detectors' or a text 'harmless'");
  return {.name = path.stem().string(),
          .path = path,
          .kernel = kernel,
          .file = text_if_any(table, "file", kernel + ".cu"),
          .subject = text_if_any(table, "subject", kernel),
          .class_of_bug = text_of(table, "class"),
          .models = text_of(table, "models"),
          .detectors = detectors,
          .harmless = harmless,
          .witness = text_if_any(table, "case"),
          .find = text_of(table, "find"),
          .replace = table["replace"].value_or(std::string())};
}

}  // namespace

Mutant load_mutant(const std::filesystem::path& path) {
  try {
    return parse(path);
  } catch (const toml::parse_error& e) {
    throw std::runtime_error(fmt::format("mutant {}, line {}: {}", path.string(), e.source().begin.line, e.description()));
  } catch (const std::exception& e) {
    throw std::runtime_error(fmt::format("mutant {}: {}", path.string(), e.what()));
  }
}

std::vector<std::filesystem::path> mutant_files(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> all;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".toml") all.push_back(entry.path());
  if (error) throw std::runtime_error(fmt::format("folder {} of mutants: {}", folder.string(), error.message()));
  std::ranges::sort(all, {}, [](const auto& path) { return path.stem().string(); });
  return all;
}

std::vector<Mutant> load_mutants(const std::filesystem::path& folder) {
  std::vector<Mutant> all;
  for (const auto& path : mutant_files(folder)) all.push_back(load_mutant(path));
  return all;
}

std::string mutated(const Mutant& mutant, const std::string& source) {
  const size_t at = source.find(mutant.find);
  if (at == source.npos) throw std::runtime_error(fmt::format("mutant {}: its text does not occur in {}", mutant.name, mutant.file));
  if (source.find(mutant.find, at + 1) != source.npos)
    throw std::runtime_error(fmt::format("mutant {}: its text occurs more than once in {}", mutant.name, mutant.file));
  if (mutant.find == mutant.replace) throw std::runtime_error(fmt::format("mutant {}: find and replace are the same", mutant.name));
  return source.substr(0, at) + mutant.replace + source.substr(at + mutant.find.size());
}

}  // namespace assay::properties
