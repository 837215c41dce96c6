// Files of safetensors for tests: of any tensors, or of any header.
#pragma once
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "oracles/tensor.hpp"

namespace assay::tools {

inline std::string safetensors_text(const std::string& header, const std::string& data) {
  std::string text;
  for (uint64_t i = 0, length = header.size(); i < 8; i++) text += char(length >> (8 * i) & 0xFF);
  return text + header + data;
}

inline std::string dtype_of(Format f) {
  switch (f) {
    case Format::bf16: return "BF16";
    case Format::fp16: return "F16";
    case Format::fp32: return "F32";
    case Format::e4m3fn: return "F8_E4M3";
    case Format::e5m2: return "F8_E5M2";
    case Format::int8: return "I8";
    case Format::int32: return "I32";
    case Format::int64: return "I64";
    default: return "U8";
  }
}

/// Those that are no outputs, under their own names.
inline std::string safetensors_of(const Tensors& tensors) {
  nlohmann::json header{{"__metadata__", {{"format", "pt"}}}};
  std::string data;
  for (const Tensor& t : tensors) {
    if (t.spec.role == Role::output) continue;
    const size_t first = data.size();
    for (int64_t row = 0; row < t.spec.rows(); row++)
      data.append(reinterpret_cast<const char*>(t.row_data(row)), size_t(t.spec.width() * t.spec.element_bytes()));
    header[t.spec.name] = {{"dtype", dtype_of(t.spec.format)}, {"shape", t.spec.shape}, {"data_offsets", {first, data.size()}}};
  }
  return safetensors_text(header.dump(), data);
}

inline std::filesystem::path written(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

}  // namespace assay::tools
