// Everything that reads what a person, a file system or a stranger may have changed.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace assay::tools {

struct Reader {
  std::string name;
  std::vector<std::string> whole;  // texts that it accepts
  std::function<void(const std::string&)>
      read;            // as the program does; throws BadInput, or std::runtime_error, whose text is one line's worth
  uint64_t rarer = 1;  // reads one text where others read so many: a sealed file is read by a process of its own
  bool sizes = false;  // its texts say how large operands are: as large as the machine's memory allows
};

/// "Sealed" readers get damage behind a length and a hash that are right again, as a stranger could make them. `folder`: for the files.
std::vector<Reader> readers(const std::filesystem::path& folder);

}  // namespace assay::tools
