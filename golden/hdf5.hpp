// What golden files and tensors of others need of HDF5, and its only home: trees with attributes and arrays of whole numbers. Arrays are compressed
// (shuffle, deflate) and carry Fletcher-32 checksums; every header carries its own. The library's error stack stays silent: failures are
// thrown as Hdf5Error with one line that names the object. Nothing outside a file is read, whatever it links to.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace assay::golden {

struct Hdf5Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An array as somebody else stored it.
struct ArrayType {
  enum class Kind : uint8_t { unsigned_whole, whole, real, other };
  Kind kind = Kind::other;
  int bits = 0, exponent_bits = 0, fraction_bits = 0;
  std::vector<int64_t> shape;
};

/// A group or an array, with attributes.
class Node {
 public:
  void set(const char* attribute, const std::string&);
  void set(const char* attribute, uint64_t);
  void set(const char* attribute, double);
  std::string text(const char* attribute) const;
  uint64_t number(const char* attribute) const;
  double real(const char* attribute) const;
  bool has(const char* attribute) const;

  Node make_group(const std::string& name);
  /// An array of rows x columns words, each stored in `bytes` (1, 2, 4 or 8).
  Node make_array(const std::string& name, int bytes, uint64_t rows, uint64_t columns, const std::vector<uint64_t>&);

  std::vector<std::string> children() const;  // by name
  Node group(const std::string& name) const;
  Node array(const std::string& name) const;
  /// The words of an array of this shape.
  std::vector<uint64_t> words(uint64_t rows, uint64_t columns) const;

  // ---- of files that others wrote
  enum class Member : uint8_t { group, array, other };
  Member member(const std::string& name) const;
  ArrayType type() const;
  std::vector<std::byte> bytes() const;   // as type() says, dense, row by row, in the machine's order of bytes
  std::optional<std::string> text_if_any(const char* attribute) const;   // of either kind that HDF5 has

 private:
  friend class Tree;
  Node(int64_t id, void (*close)(int64_t), std::string path)
      : id(new int64_t(id), [close](int64_t* p) { close(*p), delete p; }), path(std::move(path)) {}
  std::shared_ptr<int64_t> id;
  std::string path;  // for messages
};

class Tree {
 public:
  explicit Tree(std::filesystem::path scratch);  // an empty one, that grows in a file of that name
  explicit Tree(std::span<const std::byte>);     // one that was written before, to be read
  struct File {
    std::filesystem::path path;
  };
  explicit Tree(const File&);                    // a file of others, read where it lies
  ~Tree();
  Tree(const Tree&) = delete;

  Node root() const;
  /// The bytes of the tree that was made, which is closed: no node may live on. The same tree gives the same bytes, as no times are kept.
  std::vector<std::byte> finish();

 private:
  std::filesystem::path scratch;  // gone with the tree
  int64_t file = -1;
};

}  // namespace assay::golden
