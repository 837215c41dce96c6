// Decoding many codes at once.
#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>

#include "oracles/formats/format.hpp"

namespace assay {
namespace {

template <class Code, class F>
void each(const std::byte* codes, std::span<double> values, F f) {
  const size_t count = values.size();
  double* to = values.data();
  for (size_t i = 0; i < count; i++) {
    Code code;
    std::memcpy(&code, codes + i * sizeof(Code), sizeof(Code));
    to[i] = f(code);
  }
}

std::array<double, 256> table_of(Format format) {
  std::array<double, 256> table;
  for (unsigned code = 0; code < 256; code++) table[code] = decode(format, code);
  return table;
}

void decode_bytes(Format format, const std::byte* codes, std::span<double> values) {
  static const std::array<std::array<double, 256>, 4> tables{table_of(Format::e4m3fn), table_of(Format::e5m2), table_of(Format::int8),
                                                             table_of(Format::ue8m0)};
  const size_t which = format == Format::e4m3fn ? 0 : format == Format::e5m2 ? 1 : format == Format::int8 ? 2 : 3;
  each<uint8_t>(codes, values, [table = tables[which].data()](uint8_t code) { return table[code]; });
}

/// FP16's exponent and fraction moved into a double's; 1008 is the difference of the biases.
double from_fp16(uint16_t code) {
  constexpr uint64_t kRebias = uint64_t{1023 - 15} << 52;
  const uint32_t magnitude = code & 0x7FFF;
  const uint64_t moved = (uint64_t{magnitude} << 42) + kRebias;
  const double normal = std::bit_cast<double>(magnitude < 0x7C00 ? moved : moved + kRebias), subnormal = int32_t(magnitude) * 0x1p-24;
  const uint64_t value = std::bit_cast<uint64_t>(magnitude < 0x400 ? subnormal : normal);
  return std::bit_cast<double>(value | uint64_t{code & 0x8000u} << 48);
}

}  // namespace

void decode(Format format, const std::byte* codes, std::span<double> values) {
  switch (format) {
    case Format::e4m3fn:
    case Format::e5m2:
    case Format::int8:
    case Format::ue8m0: return decode_bytes(format, codes, values);
    case Format::bf16:
      return each<uint16_t>(codes, values, [](uint16_t code) { return double(std::bit_cast<float>(uint32_t{code} << 16)); });
    case Format::fp16: return each<uint16_t>(codes, values, from_fp16);
    case Format::fp32: return each<float>(codes, values, [](float value) { return double(value); });
    case Format::int32: return each<int32_t>(codes, values, [](int32_t value) { return double(value); });
    case Format::int64: return each<uint64_t>(codes, values, [](uint64_t code) { return decode(Format::int64, code); });
    case Format::u4b8:
    case Format::u4: break;
  }
  throw std::domain_error("codes of " + std::string(info(format).name) + " share bytes");
}

}  // namespace assay
