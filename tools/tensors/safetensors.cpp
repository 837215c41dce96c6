#include "tools/tensors/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "fixtures/case/shown.hpp"

namespace assay::tools {
namespace {

using nlohmann::json;

constexpr uint64_t kLongestHeader = 100'000'000;  // bytes: the format's own limit

struct Dtype {
  std::string_view name;
  int bits;
  std::optional<Format> format;  // none: codes
  bool fits = true;              // false: no operand has it
};

constexpr std::array kDtypes{Dtype{"BF16", 16, Format::bf16},
                             Dtype{"F16", 16, Format::fp16},
                             Dtype{"F32", 32, Format::fp32},
                             Dtype{"F8_E4M3", 8, Format::e4m3fn},
                             Dtype{"F8_E5M2", 8, Format::e5m2},
                             Dtype{"F8_E8M0", 8, Format::ue8m0},
                             Dtype{"I8", 8, Format::int8},
                             Dtype{"I32", 32, Format::int32},
                             Dtype{"I64", 64, Format::int64},
                             Dtype{"U8", 8, {}},
                             Dtype{"U16", 16, {}},
                             Dtype{"U32", 32, {}},
                             Dtype{"U64", 64, {}},
                             Dtype{"F64", 64, {}, false},
                             Dtype{"I16", 16, {}, false},
                             Dtype{"BOOL", 8, {}, false}};

class Header {
 public:
  explicit Header(const std::filesystem::path& path) : path(path) {}

  std::vector<GivenTensor> read() {
    if (std::error_code error; !std::filesystem::is_regular_file(path, error)) complain("is no file that can be read");
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) complain("is no file that can be read");
    const auto size = uint64_t(file.tellg());
    std::array<unsigned char, 8> length{};
    if (size < length.size()) complain(fmt::format("is {} bytes long: too short for a .safetensors file", size));
    file.seekg(0).read(reinterpret_cast<char*>(length.data()), length.size());
    uint64_t bytes = 0;
    for (size_t i = length.size(); i-- > 0;) bytes = bytes << 8 | length[i];
    if (bytes > std::min(kLongestHeader, size - length.size()))
      complain(fmt::format("has a header of {} bytes: want at most {}; or is it no .safetensors file?", bytes,
                           std::min(kLongestHeader, size - length.size())));
    std::string text(bytes, '\0');
    if (!file.read(text.data(), std::streamsize(bytes))) complain("cannot be read");
    data = length.size() + bytes, data_bytes = size - data;
    return tensors_of(text);
  }

 private:
  const std::filesystem::path path;
  uint64_t data = 0, data_bytes = 0;  // where elements begin, and how many bytes they have
  struct Part {
    uint64_t first, end;
    std::string name;
  };
  std::vector<Part> parts;

  [[noreturn]] void complain(const std::string& what) const { throw BadInput(fmt::format("tensors {}: {}", path.string(), what)); }
  [[noreturn]] void complain(const std::string& tensor, const std::string& what) const {
    complain(fmt::format("tensor '{}' {}", shown(tensor), what));
  }

  std::vector<GivenTensor> tensors_of(const std::string& text) {
    std::set<std::string> names;
    std::string twice;
    auto note_names = [&](int depth, json::parse_event_t event, const json& parsed) {
      if (event == json::parse_event_t::key && depth == 1 && !names.insert(parsed.get<std::string>()).second)
        twice = parsed.get<std::string>();
      return true;
    };
    const json header = json::parse(text, note_names, false);
    if (!header.is_object()) complain("its header is no JSON object: it is damaged, or no .safetensors file");
    if (!twice.empty()) complain(twice, "is there twice");
    std::vector<GivenTensor> all;
    for (const auto& [name, entry] : header.items())
      if (name != "__metadata__") all.push_back(tensor_of(name, entry));
    check_places();
    return all;
  }

  GivenTensor tensor_of(const std::string& name, const json& entry) {
    if (!entry.is_object() || !entry.contains("dtype") || !entry["dtype"].is_string() || !entry.contains("shape") ||
        !entry.contains("data_offsets"))
      complain(name, "has no dtype, shape or data_offsets");
    const std::string& type = entry["dtype"].get_ref<const std::string&>();
    const auto dtype = std::ranges::find(kDtypes, type, &Dtype::name);
    const std::vector<int64_t> shape = lengths(name, "shape", entry["shape"]), place = lengths(name, "data_offsets", entry["data_offsets"]);
    if (place.size() != 2 || place[0] > place[1] || uint64_t(place[1]) > data_bytes)
      complain(name,
               fmt::format("has data_offsets {}: want the ends of a part of {} bytes", shown(entry["data_offsets"].dump()), data_bytes));
    const auto first = uint64_t(place[0]), bytes = uint64_t(place[1] - place[0]);
    parts.push_back({first, first + bytes, name});
    if (dtype == kDtypes.end())  // a newer dtype: no operand has it
      return {.name = name, .type = shown(type), .format = {}, .bits = 0, .shape = shape, .read = {}};
    const int64_t elements = elements_of(shape);
    if (bytes != uint64_t(elements) * uint64_t(dtype->bits / 8))
      complain(name, fmt::format("has {} bytes, want {} for {} elements of {}", bytes, uint64_t(elements) * uint64_t(dtype->bits / 8),
                                 elements, type));
    return {.name = name,
            .type = type,
            .format = dtype->format,
            .bits = dtype->fits ? dtype->bits : 0,
            .shape = shape,
            .read = [path = path, at = data + first, bytes] { return bytes_of(path, at, bytes); }};
  }

  std::vector<int64_t> lengths(const std::string& name, const char* key, const json& list) const {
    std::vector<int64_t> all;
    for (const json& n : list.is_array() ? list : json::array({nullptr})) {
      if (!n.is_number_integer() || n < 0 || n > kLongest)
        complain(name, fmt::format("has {} {}: want whole numbers from 0 to 2^48", key,
                                   shown(list.dump(-1, ' ', true, json::error_handler_t::replace))));
      all.push_back(n.get<int64_t>());
    }
    return all;
  }

  /// One behind the other, from the first byte to the last.
  void check_places() {
    std::ranges::sort(parts, {}, [](const Part& p) { return std::pair(p.first, p.end); });
    uint64_t end = 0;
    for (const Part& p : parts) {
      if (p.first != end)
        complain(p.name, fmt::format("begins at byte {} of the data, {} byte {}", p.first,
                                     p.first < end ? "inside the tensor that ends at" : "behind a gap from", end));
      end = p.end;
    }
    if (end != data_bytes) complain(fmt::format("has {} bytes of data, its tensors end at {}", data_bytes, end));
  }

  static std::vector<std::byte> bytes_of(const std::filesystem::path& path, uint64_t at, uint64_t bytes) {
    std::vector<std::byte> all(bytes);
    std::ifstream file(path, std::ios::binary);
    if (!file.seekg(std::streamoff(at)).read(reinterpret_cast<char*>(all.data()), std::streamsize(bytes)))
      throw BadInput(fmt::format("tensors {}: cannot be read any more", path.string()));
    return all;
  }
};

}  // namespace

std::vector<GivenTensor> read_safetensors(const std::filesystem::path& path) { return Header(path).read(); }

}  // namespace assay::tools
