// Whether records are what they say they are: of cases of their subject, and of outputs that those have.
#pragma once
#include <filesystem>
#include <optional>

#include "fixtures/subject.hpp"
#include "golden/record.hpp"

namespace assay::golden {

/// The records of a file, which is called as its subject and holds cases of that subject, as this program writes them. Throws BadInput.
Records read_records(const std::filesystem::path& file);

/// Why a record does not hold the outputs of its case, recorded as this program does; or nothing.
std::optional<std::string> unlike_recorded(const Record&, const Records& of, const Subject&);

}  // namespace assay::golden
