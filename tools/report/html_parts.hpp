// Pieces that pages have in common.
#pragma once
#include "fixtures/memory/device.hpp"
#include "properties/portrait.hpp"
#include "tools/report/cells.hpp"
#include "tools/report/markup.hpp"

namespace assay::report {

struct Section {
  std::string id, title;
  Html inside;
};
/// Links to those of the sections that hold something, then these.
Html linked(const std::vector<Section>&);
/// A paragraph in small print.
Html note(std::string_view);
Html facts_list(const std::vector<std::pair<std::string, std::string>>&);
/// Card, driver, runtime and toolkit.
std::vector<std::pair<std::string, std::string>> machine_facts(const DeviceDescription&);
/// All of them, those of failing subjects first and open.
Html portraits(const std::vector<properties::Portrait>&, const std::vector<properties::Cell>&);
/// The band at the top. `code`: the exit code.
Html verdict_band(int code, std::string_view line, std::string_view more, const Html& failures);
std::string plural(size_t count, std::string_view noun);

/// A word about the cell in the colour of its outcome.
Html outcome(const properties::Cell&, std::string_view word);

/// A subject in depth. `conforms`: its cell of that law, or null.
Html portrait(const properties::Portrait&, const properties::Cell* conforms, bool open);

}  // namespace assay::report
