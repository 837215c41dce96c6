#include <fmt/format.h>

#include "tools/assay/catalogue.hpp"
#include "tools/assay/commands.hpp"
#include "tools/assay/plugins.hpp"

namespace assay::tools {

int list(const std::vector<std::string>& names, const std::vector<std::string>& plugins) {
  for (const std::string& file : plugins) add_to_registry(loaded(file));
  std::vector<const Contract*> contracts;  // all found before anything is printed
  for (const std::string& name : names) contracts.push_back(&contract_about(name));
  for (const Contract* contract : contracts) fmt::print("{}", description(*contract));
  if (names.empty()) fmt::print("{}", overview());
  return 0;
}

}  // namespace assay::tools
