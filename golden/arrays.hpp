// The arrays of an HDF5 file that somebody else wrote, as h5py does, as tensors (fixtures/given).
#pragma once
#include <filesystem>

#include "fixtures/given/given.hpp"

namespace assay::golden {

/// One tensor for each array, named by its path ("w", "layer0/w"). Floats have the format with their bits; signed whole numbers int8, int32
/// or int64; unsigned ones are codes of any format of their size. An attribute `format` (a name that `assay list` shows, such as "e4m3fn")
/// says more of an array of whole numbers. Throws BadInput with the path for a file that is none, a format that is unknown or of another
/// size, and arrays of anything but numbers.
std::vector<GivenTensor> read_arrays(const std::filesystem::path&);

/// Whether the file begins as HDF5 does.
bool holds_arrays(const std::filesystem::path&);

}  // namespace assay::golden
