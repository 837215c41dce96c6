// Applies a mutant to a copy of its kernel:  assay_mutate <mutant.toml> <kernels folder> <output.cu>
//
// The file says which kernel, what to find, and what to put there. The text must occur exactly once, or the mutant has gone stale with the
// kernel and must be rewritten: that is an error, never a mutant that happens to equal the original.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <toml++/toml.h>

namespace {

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(fmt::format("{} cannot be read", path.string()));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string wanted(const toml::table& table, const char* key) {
  const auto value = table[key].value<std::string>();
  if (!value || value->empty()) throw std::runtime_error(fmt::format("needs a text '{}'", key));
  return *value;
}

std::string mutated(const std::string& source, const std::string& find, const std::string& replace) {
  const size_t at = source.find(find);
  if (at == source.npos) throw std::runtime_error("the text to find does not occur in the kernel");
  if (source.find(find, at + 1) != source.npos) throw std::runtime_error("the text to find occurs more than once in the kernel");
  if (find == replace) throw std::runtime_error("find and replace are the same");
  return source.substr(0, at) + replace + source.substr(at + find.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: assay_mutate <mutant.toml> <kernels folder> <output.cu>\n";
    return 2;
  }
  try {
    const toml::table table = toml::parse_file(argv[1]);
    for (const char* key : {"kernel", "class", "models"}) wanted(table, key);
    const std::string kernel = wanted(table, "kernel");
    const auto source = std::filesystem::path(argv[2]) / kernel / table["file"].value_or(kernel + ".cu");
    std::ofstream(argv[3]) << mutated(contents(source), wanted(table, "find"), table["replace"].value_or(std::string()));
    return 0;
  } catch (const toml::parse_error& e) {
    std::cerr << "mutant " << argv[1] << ", line " << e.source().begin.line << ": " << e.description() << "\n";
  } catch (const std::exception& e) {
    std::cerr << "mutant " << argv[1] << ": " << e.what() << "\n";
  }
  return 2;
}
