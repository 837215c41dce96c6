#include "kernels/simt/math/archive.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <cstdio>
#include <fstream>
#include <iterator>

namespace simt {
namespace {

constexpr int kGzip = 15 + 16;  // the largest window, and 16: a gzip header

std::string text(const Label& label) {
  return fmt::format("{} {} entries={} crc32={:08x}; {}", label.architecture, label.name, label.entries, label.checksum, label.origin);
}

bool parse(const char* comment, Label& label) {
  char architecture[32], name[64], origin[160];
  if (std::sscanf(comment, "%31s %63s entries=%zu crc32=%x; %159[^\n]", architecture, name, &label.entries, &label.checksum, origin) != 5)
    return false;
  label.architecture = architecture, label.name = name, label.origin = origin;
  return true;
}

}  // namespace

std::vector<unsigned char> pack(const Archive& archive, int level) {
  std::string comment = text(archive.label);
  z_stream stream{};
  deflateInit2(&stream, level, Z_DEFLATED, kGzip, 9, Z_DEFAULT_STRATEGY);
  gz_header header{};
  header.os = 255;  // unknown: the same bytes wherever it was packed
  header.comment = reinterpret_cast<Bytef*>(comment.data());
  deflateSetHeader(&stream, &header);
  std::vector<unsigned char> file(deflateBound(&stream, archive.bytes.size()) + comment.size() + 64);
  stream.next_in = const_cast<Bytef*>(archive.bytes.data());
  stream.avail_in = static_cast<uInt>(archive.bytes.size());
  stream.next_out = file.data();
  stream.avail_out = static_cast<uInt>(file.size());
  deflate(&stream, Z_FINISH);
  file.resize(stream.total_out);
  deflateEnd(&stream);
  return file;
}

std::string unpack(std::span<const unsigned char> file, std::size_t size_limit, Archive& archive) {
  char comment[320] = {};
  gz_header header{};
  header.comment = reinterpret_cast<Bytef*>(comment);
  header.comm_max = sizeof comment - 1;
  Archive found;
  found.bytes.resize(size_limit + 1);
  z_stream stream{};
  stream.next_in = const_cast<Bytef*>(file.data());
  stream.avail_in = static_cast<uInt>(file.size());
  stream.next_out = found.bytes.data();
  stream.avail_out = static_cast<uInt>(found.bytes.size());
  inflateInit2(&stream, kGzip);
  inflateGetHeader(&stream, &header);
  const int outcome = inflate(&stream, Z_FINISH);
  const std::string why = stream.msg ? stream.msg : outcome == Z_BUF_ERROR ? "it is cut short or holds too much" : "it is no gzip file";
  found.bytes.resize(stream.total_out);
  inflateEnd(&stream);
  if (outcome != Z_STREAM_END) return fmt::format("damaged: {}", why);
  if (found.bytes.size() > size_limit) return fmt::format("it holds more than the {} bytes expected", size_limit);
  if (!parse(comment, found.label)) return "its gzip comment does not say what it holds (architecture name entries=N crc32=X; origin)";
  archive = std::move(found);
  return {};
}

std::string unpack(const std::string& path, std::size_t size_limit, Archive& archive) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return "cannot be read";
  const std::vector<unsigned char> file{std::istreambuf_iterator<char>(stream), {}};
  return unpack(file, size_limit, archive);
}

std::uint32_t checksum(std::span<const unsigned char> bytes) { return static_cast<std::uint32_t>(crc32_z(0, bytes.data(), bytes.size())); }

}  // namespace simt
