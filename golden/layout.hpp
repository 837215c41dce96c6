// How records lie in HDF5: the root's attributes say subject, suite and origin; one group a case (0000, 0001, ... in the order of the
// suite) has the case line, the declared arithmetic and the operands' hash as attributes, and one array for each output tensor.
#pragma once
#include <cstddef>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <vector>

#include "golden/record.hpp"

namespace assay::golden {

struct LayoutError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Uses a file of the name `scratch` meanwhile.
std::vector<std::byte> bytes_of(const Records&, const std::filesystem::path& scratch);

/// LayoutError names the object that is missing or not as it should be.
Records records_of(std::span<const std::byte>);

/// The same of contents: the root's attributes say line and reason, the group `operands` has one array for each.
std::vector<std::byte> bytes_of(const StoredContents&, const std::filesystem::path& scratch);
StoredContents contents_of(std::span<const std::byte>);

}  // namespace assay::golden
