// Tensors of a .safetensors file: 8 bytes with the length of a header, least byte first; the header, JSON that gives each tensor's dtype,
// shape and data_offsets; then their elements without gaps. (https://github.com/huggingface/safetensors, "Format")
#pragma once
#include <filesystem>

#include "fixtures/given/given.hpp"

namespace assay::tools {

/// Reads the header alone; elements come when they are asked for. BF16, F16, F32, F8_E4M3, F8_E5M2, F8_E8M0, I8, I32 and I64 are formats;
/// U8, U16, U32 and U64 are codes of any format of their size; other dtypes fit no operand. Throws BadInput with the path for a file that
/// is none: a header that is cut off, too long or no JSON, tensors that overlap, leave gaps, lie outside or have another size than their
/// shape.
std::vector<GivenTensor> read_safetensors(const std::filesystem::path&);

}  // namespace assay::tools
