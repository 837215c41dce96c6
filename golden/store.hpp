// The folder of golden files: <architecture>/<suite>/<subject>.h5, where the architecture is sm_90 for a GPU's bits and emu_sm_90 for the
// emulator's own.
#pragma once
#include <filesystem>
#include <vector>

#include "golden/record.hpp"

namespace assay::golden {

/// $ASSAY_RECORDS; else the folder `records` beside the program's own, where programs travel with their records; else that of the source
/// tree. Throws BadInput if the variable names no folder.
std::filesystem::path standard_folder();

/// Where records belong within a folder.
std::filesystem::path place_of(const Records&);

/// All golden files beneath, in the order of their paths; none if there is no such folder.
std::vector<std::filesystem::path> files_beneath(const std::filesystem::path& folder);

/// The records of a subject in the standard folder, read at the first call.
const std::vector<Records>& standard_records(const std::string& subject);

}  // namespace assay::golden
