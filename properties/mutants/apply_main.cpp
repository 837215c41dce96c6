// Applies a mutant to a copy of its kernel:  assay_mutate <mutant.toml> <kernels folder> <output.cu>
#include <fstream>
#include <iostream>
#include <sstream>

#include "properties/mutants/mutant.hpp"

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: assay_mutate <mutant.toml> <kernels folder> <output.cu>\n";
    return 2;
  }
  try {
    const auto mutant = assay::properties::load_mutant(argv[1]);
    const std::ifstream kernel(std::filesystem::path(argv[2]) / mutant.kernel / mutant.file);
    std::ostringstream source;
    source << kernel.rdbuf();
    const std::string result = assay::properties::mutated(mutant, source.str());
    std::ofstream(argv[3]) << result;
    return 0;
  } catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 2;
  }
}
