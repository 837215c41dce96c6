#include "golden/arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "fixtures/case/shown.hpp"
#include "golden/hdf5.hpp"
#include "golden/rehearse.hpp"

namespace assay::golden {
namespace {

constexpr int kDeepest = 16;  // groups within groups: links may go in circles
constexpr size_t kMostArrays = 100000;

/// A node, and the file that must stay open for it.
struct Kept {
  std::shared_ptr<const Tree> tree;
  Node node;  // after the tree, so that it goes first
};

/// The format whose codes an array holds by its type alone.
std::optional<Format> format_of(const ArrayType& type) {
  for (const FormatInfo& f : formats()) {
    if (f.bits != type.bits) continue;
    if (type.kind == ArrayType::Kind::whole && !f.floating) return f.format;
    if (type.kind == ArrayType::Kind::real && f.floating && f.exponent_bits == type.exponent_bits && f.fraction_bits == type.fraction_bits)
      return f.format;
  }
  return {};
}

std::string text_of(const ArrayType& type) {
  switch (type.kind) {
    case ArrayType::Kind::unsigned_whole: return fmt::format("uint{}", type.bits);
    case ArrayType::Kind::whole: return fmt::format("int{}", type.bits);
    case ArrayType::Kind::real: return fmt::format("float of {} bits, {} of them fraction", type.bits, type.fraction_bits);
    case ArrayType::Kind::other: return "no numbers";
  }
  return "?";
}

GivenTensor tensor_of(const Kept& kept, const std::string& name) {
  const ArrayType type = kept.node.type();
  GivenTensor t{.name = name, .type = text_of(type), .format = format_of(type), .bits = type.bits, .shape = type.shape, .read = {}};
  if (type.kind == ArrayType::Kind::other || (type.kind != ArrayType::Kind::unsigned_whole && !t.format)) t.bits = 0;  // fits no operand
  if (const auto stated = kept.node.text_if_any("format")) {
    const auto format = format_named(*stated);
    if (!format)
      throw Hdf5Error(
          fmt::format("array '{}': attribute 'format' is '{}': want a format such as bf16 or e4m3fn", shown(name), shown(*stated)));
    if (info(*format).bits != type.bits || type.kind == ArrayType::Kind::other ||
        (type.kind == ArrayType::Kind::real && t.format != format))
      throw Hdf5Error(fmt::format("array '{}': attribute 'format' is {}, its elements are {}", shown(name), *stated, t.type));
    t.format = format, t.type = fmt::format("{} with format {}", t.type, *stated);
  }
  t.read = [kept, where = name] { return kept.node.bytes(); };
  return t;
}

void collect(const Kept& group, const std::string& prefix, int depth, std::vector<GivenTensor>& all) {
  if (depth > kDeepest) throw Hdf5Error(fmt::format("groups lie more than {} deep", kDeepest));
  for (const std::string& name : group.node.children()) {
    const Node::Member member = group.node.member(name);
    if (member == Node::Member::group) collect({group.tree, group.node.group(name)}, prefix + name + "/", depth + 1, all);
    if (member == Node::Member::array) all.push_back(tensor_of({group.tree, group.node.array(name)}, prefix + name));
    if (all.size() > kMostArrays) throw Hdf5Error(fmt::format("holds more than {} arrays", kMostArrays));
  }
}

/// What `action` returns; its complaint with the path in front. Rehearsed first: HDF5 1.10.8 crashes on some damaged files (golden/file.cpp).
template <class Action>
auto with_path(const std::filesystem::path& path, Action action) {
  std::error_code error;
  const uintmax_t bytes = std::filesystem::file_size(path, error);
  if (const auto end = rehearse([&] { action(); }, patience(error ? 0 : bytes)))
    throw BadInput(fmt::format("tensors {}: is damaged, {}", path.string(), *end));
  try {
    return action();
  } catch (const Hdf5Error& e) {
    throw BadInput(fmt::format("tensors {}: {}", path.string(), printable(e.what())));
  }
}

}  // namespace

std::vector<GivenTensor> read_arrays(const std::filesystem::path& path) {
  return with_path(path, [&] {
    const auto tree = std::make_shared<const Tree>(Tree::File{path});
    std::vector<GivenTensor> all;
    collect({tree, tree->root()}, "", 0, all);
    for (GivenTensor& t : all) t.read = [path, read = t.read] { return with_path(path, read); };
    return all;
  });
}

bool holds_arrays(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  const std::string signature = "\x89HDF\r\n\x1a\n";
  std::ifstream file(path, std::ios::binary);
  for (std::streamoff at = 0; at <= 4096; at = at ? 2 * at : 512) {  // behind a user block of 512, 1024, ... bytes
    std::string start(signature.size(), '\0');
    if (!file.seekg(at).read(start.data(), std::streamsize(start.size()))) return false;
    if (start == signature) return true;
  }
  return false;
}

}  // namespace assay::golden
