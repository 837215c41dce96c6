#include "golden/hdf5.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

namespace assay::golden {
namespace {

constexpr unsigned kDeflate = 9;
constexpr hsize_t kLargest = hsize_t{1} << 24;  // words of an array, a thousand times what there is: memory that a file may ask for

constexpr size_t kLongestText = 1 << 20;        // bytes of an attribute: likewise

/// No messages on standard error, and nothing at exit: HDF5 1.10.8 crashes there over a file that a full disk kept it from closing.
void silence() {
  [[maybe_unused]] static const herr_t once = H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

template <class... Args>
[[noreturn]] void complain(fmt::format_string<Args...> form, Args&&... args) {
  throw Hdf5Error(fmt::format(form, std::forward<Args>(args)...));
}

/// Closes what it holds.
class Held {
 public:
  Held(hid_t id, herr_t (*close)(hid_t), const std::string& what) : id(id), close(close) {
    if (id < 0) complain("{}", what);
  }
  ~Held() {
    if (id >= 0) close(id);
  }
  Held(Held&& other) : id(std::exchange(other.id, -1)), close(other.close) {}
  operator hid_t() const { return id; }

 private:
  hid_t id;
  herr_t (*close)(hid_t);
};

void check(bool good, const std::string& what) {
  if (!good) complain("{}", what);
}

hid_t text_type(size_t bytes) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, bytes);
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

void set_attribute(hid_t object, const std::string& path, const char* name, hid_t file_type, hid_t memory_type, const void* value) {
  const std::string what = fmt::format("{}: attribute '{}' cannot be written", path, name);
  const Held space(H5Screate(H5S_SCALAR), H5Sclose, what);
  const Held attribute(H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, what);
  check(H5Awrite(attribute, memory_type, value) >= 0, what);
}

/// An attribute with one value of a class, open.
Held attribute_of(hid_t object, const std::string& path, const char* name, H5T_class_t kind) {
  Held attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose, fmt::format("{}: attribute '{}' is missing", path, name));
  const std::string what = fmt::format("{}: attribute '{}' is of another kind", path, name);
  const Held type(H5Aget_type(attribute), H5Tclose, what), space(H5Aget_space(attribute), H5Sclose, what);
  check(H5Tget_class(type) == kind && H5Sget_simple_extent_npoints(space) == 1, what);
  return attribute;
}

template <class T>
T attribute_value(hid_t object, const std::string& path, const char* name, H5T_class_t kind, hid_t memory_type) {
  T value{};
  const Held attribute = attribute_of(object, path, name, kind);
  check(H5Aread(attribute, memory_type, &value) >= 0, fmt::format("{}: attribute '{}' cannot be read", path, name));
  return value;
}

hid_t stored_type(int bytes) { return bytes == 1 ? H5T_STD_U8LE : bytes == 2 ? H5T_STD_U16LE : bytes == 4 ? H5T_STD_U32LE : H5T_STD_U64LE; }

/// Chunked, compressed and checked; an array without words stays as it is.
void choose_filters(hid_t properties, const std::array<hsize_t, 2>& shape) {
  H5Pset_obj_track_times(properties, false);
  if (shape[0] * shape[1] == 0) return;
  H5Pset_chunk(properties, 2, shape.data());
  H5Pset_shuffle(properties), H5Pset_deflate(properties, kDeflate), H5Pset_fletcher32(properties);
}

/// Words of one chunk, which HDF5 holds in memory whatever the array's shape; 0 where it is stored otherwise.
hsize_t chunk_words(hid_t array, const std::string& what) {
  const Held properties(H5Dget_create_plist(array), H5Pclose, what);
  std::array<hsize_t, H5S_MAX_RANK> chunk{};
  if (H5Pget_layout(properties) != H5D_CHUNKED) return 0;
  const int rank = H5Pget_chunk(properties, int(chunk.size()), chunk.data());
  check(rank >= 0, what);
  hsize_t words = 1;
  for (int i = 0; i < rank; i++) {
    check(chunk[size_t(i)] <= kLargest / words, what);  // no chunk has a length of 0
    words *= std::max<hsize_t>(1, chunk[size_t(i)]);
  }
  return words;
}

/// Headers with checksums need the format of HDF5 1.10. Closing fails while a node is open.
hid_t file_access() {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  H5Pset_fclose_degree(access, H5F_CLOSE_SEMI);
  return access;
}

template <herr_t (*kClose)(hid_t)>
void close_with(int64_t id) {
  kClose(id);
}

/// How to open what a file holds and nothing outside it: links to other files are refused, wherever on the way they lie.
Held inside(hid_t kind) {
  Held access(H5Pcreate(kind), H5Pclose, "access properties");
  const auto refuse = [](const char*, const char*, const char*, const char*, unsigned*, hid_t, void*) { return herr_t{-1}; };
  check(H5Pset_elink_cb(access, refuse, nullptr) >= 0, "access properties");
  return access;
}

uint64_t address(std::span<const std::byte> bytes, size_t at) {
  uint64_t value = 0;
  for (size_t i = 8; i-- > 0;) value = value << 8 | uint64_t(bytes[at + i]);
  return value;
}

/// HDF5 in memory makes room up to the end that a superblock names, however far that is, before it looks at the rest. What finish() gives has
/// one of version 3 (the HDF5 file format specification, II.A): signature, version, bytes of an offset and of a length, flags, then the
/// addresses of the base, of an extension (none: all ones), of the end and of the root, and a checksum, which HDF5 looks at.
void check_superblock(std::span<const std::byte> bytes) {
  constexpr size_t kBytes = 48, kVersion = 8, kOffsetBytes = 9, kLengthBytes = 10, kBase = 12, kExtension = 20, kEnd = 28, kRoot = 36;
  check(bytes.size() >= kBytes, "is no HDF5 file");
  check(bytes[kVersion] == std::byte{3} && bytes[kOffsetBytes] == std::byte{8} && bytes[kLengthBytes] == std::byte{8} &&
            address(bytes, kBase) == 0 && address(bytes, kExtension) == ~uint64_t{0} && address(bytes, kEnd) == bytes.size() &&
            address(bytes, kRoot) < bytes.size(),
        "its superblock is none that this program writes, or damaged");
}

}  // namespace

void Node::set(const char* attribute, const std::string& value) {
  const Held type(text_type(std::max<size_t>(1, value.size())), H5Tclose, "text type");
  const std::string padded = value.empty() ? std::string(1, '\0') : value;
  set_attribute(*id, path, attribute, type, type, padded.data());
}
void Node::set(const char* attribute, uint64_t value) { set_attribute(*id, path, attribute, H5T_STD_U64LE, H5T_NATIVE_UINT64, &value); }
void Node::set(const char* attribute, double value) { set_attribute(*id, path, attribute, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value); }

std::string Node::text(const char* name) const {
  const Held attribute = attribute_of(*id, path, name, H5T_STRING);
  const Held type(H5Aget_type(attribute), H5Tclose, "text type");
  check(!H5Tis_variable_str(type), fmt::format("{}: attribute '{}' is of another kind", path, name));
  check(H5Tget_size(type) <= kLongestText, fmt::format("{}: attribute '{}' is longer than {} bytes", path, name, kLongestText));
  std::string value(H5Tget_size(type), '\0');
  check(H5Aread(attribute, type, value.data()) >= 0, fmt::format("{}: attribute '{}' cannot be read", path, name));
  value.erase(value.find_last_not_of('\0') + 1);
  return value;
}
uint64_t Node::number(const char* name) const { return attribute_value<uint64_t>(*id, path, name, H5T_INTEGER, H5T_NATIVE_UINT64); }
double Node::real(const char* name) const { return attribute_value<double>(*id, path, name, H5T_FLOAT, H5T_NATIVE_DOUBLE); }
bool Node::has(const char* name) const { return H5Aexists(*id, name) > 0; }

Node Node::make_group(const std::string& name) {
  const std::string inner = path + "/" + name;
  const Held properties(H5Pcreate(H5P_GROUP_CREATE), H5Pclose, "group properties");
  H5Pset_obj_track_times(properties, false);
  const hid_t group = H5Gcreate2(*id, name.c_str(), H5P_DEFAULT, properties, H5P_DEFAULT);
  check(group >= 0, inner + ": group cannot be made");
  return {group, close_with<H5Gclose>, inner};
}

Node Node::make_array(const std::string& name, int bytes, uint64_t rows, uint64_t columns, const std::vector<uint64_t>& words) {
  const std::string inner = path + "/" + name, what = inner + ": array cannot be written";
  const std::array<hsize_t, 2> shape{rows, columns};
  const Held properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, what), space(H5Screate_simple(2, shape.data(), nullptr), H5Sclose, what);
  choose_filters(properties, shape);
  const hid_t array = H5Dcreate2(*id, name.c_str(), stored_type(bytes), space, H5P_DEFAULT, properties, H5P_DEFAULT);
  check(array >= 0, what);
  Node node(array, close_with<H5Dclose>, inner);
  check(words.size() == rows * columns && words.size() <= kLargest, what);
  check(words.empty() || H5Dwrite(array, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, words.data()) >= 0, what);
  return node;
}

std::vector<std::string> Node::children() const {
  std::vector<std::string> names;
  auto add = [](hid_t, const char* name, const H5L_info_t*, void* to) {
    static_cast<std::vector<std::string>*>(to)->emplace_back(name);
    return herr_t{0};
  };
  check(H5Literate(*id, H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names) >= 0, path + ": its members cannot be listed");
  return names;
}

Node Node::group(const std::string& name) const {
  const hid_t group = H5Gopen2(*id, name.c_str(), inside(H5P_GROUP_ACCESS));
  check(group >= 0, fmt::format("{}/{}: is no group", path, name));
  return {group, close_with<H5Gclose>, path + "/" + name};
}

Node Node::array(const std::string& name) const {
  const std::string inner = path + "/" + name;
  const hid_t array = H5Dopen2(*id, name.c_str(), inside(H5P_DATASET_ACCESS));
  check(array >= 0, inner + ": is no array");
  Node node(array, close_with<H5Dclose>, inner);
  const Held properties(H5Dget_create_plist(array), H5Pclose, inner + ": array cannot be read");
  check(H5Pget_external_count(properties) == 0 && H5Pget_layout(properties) != H5D_VIRTUAL, inner + ": its elements lie in another file");
  return node;
}

std::vector<uint64_t> Node::words(uint64_t rows, uint64_t columns) const {
  const std::string what = path + ": array cannot be read";
  const Held space(H5Dget_space(*id), H5Sclose, what), type(H5Dget_type(*id), H5Tclose, what);
  std::array<hsize_t, H5S_MAX_RANK> shape{};
  check(H5Tget_class(type) == H5T_INTEGER && H5Sget_simple_extent_dims(space, shape.data(), nullptr) == 2 && chunk_words(*id, what) <= kLargest, what);
  if (shape[0] != rows || shape[1] != columns) complain("{}: has {} x {} words, want {} x {}", path, shape[0], shape[1], rows, columns);
  check(rows == 0 || columns <= kLargest / rows, what);
  const uint64_t count = rows * columns;
  std::vector<uint64_t> words(count);
  check(count == 0 || H5Dread(*id, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, words.data()) >= 0, what + ", its checksum is wrong");
  return words;
}

Node::Member Node::member(const std::string& name) const {
  H5O_info_t about;
  if (H5Oget_info_by_name2(*id, name.c_str(), &about, H5O_INFO_BASIC, inside(H5P_LINK_ACCESS)) < 0) return Member::other;
  return about.type == H5O_TYPE_GROUP ? Member::group : about.type == H5O_TYPE_DATASET ? Member::array : Member::other;
}

ArrayType Node::type() const {
  const std::string what = path + ": array cannot be read";
  const Held space(H5Dget_space(*id), H5Sclose, what), type(H5Dget_type(*id), H5Tclose, what);
  ArrayType a{.bits = int(8 * H5Tget_size(type))};
  if (H5Tget_class(type) == H5T_INTEGER)
    a.kind = H5Tget_sign(type) == H5T_SGN_NONE ? ArrayType::Kind::unsigned_whole : ArrayType::Kind::whole;
  size_t sign = 0, exponent = 0, exponent_bits = 0, fraction = 0, fraction_bits = 0;
  if (H5Tget_class(type) == H5T_FLOAT && H5Tget_fields(type, &sign, &exponent, &exponent_bits, &fraction, &fraction_bits) >= 0)
    a.kind = ArrayType::Kind::real, a.exponent_bits = int(exponent_bits), a.fraction_bits = int(fraction_bits);
  const int rank = H5Sget_simple_extent_ndims(space);
  check(rank >= 0, what);
  std::vector<hsize_t> lengths(static_cast<size_t>(rank));
  check(rank == 0 || H5Sget_simple_extent_dims(space, lengths.data(), nullptr) >= 0, what);
  for (const hsize_t n : lengths) {
    if (n > hsize_t{1} << 48) complain("{}: a dimension of {}: want at most 2^48", path, n);
    a.shape.push_back(int64_t(n));
  }
  return a;
}

std::vector<std::byte> Node::bytes() const {
  const std::string what = path + ": array cannot be read";
  const Held space(H5Dget_space(*id), H5Sclose, what), stored(H5Dget_type(*id), H5Tclose, what), type(H5Tcopy(stored), H5Tclose, what);
  check(H5Tset_order(type, H5T_ORDER_LE) >= 0, what);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  check(count >= 0, what);
  std::vector<std::byte> bytes(size_t(count) * H5Tget_size(type));
  check(count == 0 || H5Dread(*id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) >= 0, what);
  return bytes;
}

std::optional<std::string> Node::text_if_any(const char* name) const {
  if (H5Aexists(*id, name) <= 0) return {};
  const Held attribute = attribute_of(*id, path, name, H5T_STRING);
  const Held type(H5Aget_type(attribute), H5Tclose, "text type");
  if (!H5Tis_variable_str(type)) return text(name);
  char* value = nullptr;
  const Held memory(H5Tcopy(type), H5Tclose, "text type");
  check(H5Aread(attribute, memory, &value) >= 0 && value, fmt::format("{}: attribute '{}' cannot be read", path, name));
  std::string found = value;
  H5free_memory(value);
  return found;
}

// On disk and not in memory: H5Fget_file_image leaves a superblock whose checksum is wrong (1.10.8).
Tree::Tree(std::filesystem::path path) : scratch(std::move(path)) {
  silence();
  const Held access(file_access(), H5Pclose, "file access"), creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "file creation");
  H5Pset_obj_track_times(creation, false);
  errno = 0;
  file = H5Fcreate(scratch.c_str(), H5F_ACC_TRUNC, creation, access);
  if (file >= 0) return;
  const int why = errno ? errno : EIO;
  std::error_code ignored;
  std::filesystem::remove(scratch, ignored);
  complain("cannot be written: {}", std::generic_category().message(why));
}

Tree::Tree(std::span<const std::byte> bytes) {
  silence();
  check_superblock(bytes);
  const Held access(file_access(), H5Pclose, "file access");
  H5Pset_fapl_core(access, size_t{1} << 20, false);
  H5Pset_file_image(access, const_cast<std::byte*>(bytes.data()), bytes.size());  // copies them
  file = H5Fopen("/dev/null/golden", H5F_ACC_RDONLY, access);  // a name that no file can have: HDF5 looks for one all the same
  check(file >= 0, "is no HDF5 file");
}

Tree::Tree(const File& other) {
  silence();
  const Held access(file_access(), H5Pclose, "file access");
  file = H5Fopen(other.path.c_str(), H5F_ACC_RDONLY, access);
  check(file >= 0, "is no HDF5 file, or damaged");
}

Tree::~Tree() {
  if (file >= 0) H5Fclose(file);
  std::error_code ignored;
  if (!scratch.empty()) std::filesystem::remove(scratch, ignored);
}

Node Tree::root() const {
  const hid_t group = H5Gopen2(file, "/", H5P_DEFAULT);
  check(group >= 0, "has no root group");
  return {group, close_with<H5Gclose>, ""};
}

std::vector<std::byte> Tree::finish() {
  check(H5Fclose(std::exchange(file, -1)) >= 0, "cannot be written: the disk may be full");
  std::vector<std::byte> all(std::filesystem::file_size(scratch));
  check(bool(std::ifstream(scratch, std::ios::binary).read(reinterpret_cast<char*>(all.data()), std::streamsize(all.size()))),
        "cannot be read back");
  return all;
}

}  // namespace assay::golden
