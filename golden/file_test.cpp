#include "golden/file.hpp"

#include <sys/stat.h>

#include "golden/hash.hpp"
#include "golden/hdf5.hpp"
#include "golden/layout.hpp"
#include "golden/test_records.hpp"

#ifdef __SANITIZE_ADDRESS__
// HDF5 1.10.8 loses memory when it meets damage, which only a test that goes around the file's hash shows it.
extern "C" const char* __lsan_default_suppressions() { return "leak:H5FL__malloc"; }
#endif

namespace assay::golden {
namespace {

namespace fs = std::filesystem;

class GoldenFile : public InFolder {
 protected:
  fs::path written() const {
    write_file(folder / "records.h5", small_records());
    return folder / "records.h5";
  }

  std::string complaint_about(const std::string& bytes) const {
    const fs::path path = file("changed.h5", bytes);
    const std::string text = complaint([&] { read_file(path); });
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 0) << text;
    EXPECT_TRUE(text == "no complaint" || text.starts_with("golden file " + path.string() + ": ")) << text;
    return text;
  }

  /// A file with a right block around any HDF5 tree.
  template <class F>
  std::string complaint_about_tree(F&& grow) const {
    Tree tree(folder / "tree.part");
    grow(tree.root());
    const std::vector<std::byte> content = tree.finish();
    std::string bytes = block_of("golden records", content);
    return complaint_about(bytes.append(reinterpret_cast<const char*>(content.data()), content.size()));
  }
};

TEST_F(GoldenFile, GivesBackWhatWasWritten) { EXPECT_EQ(read_file(written()), small_records()); }

TEST_F(GoldenFile, GivesBackEveryFormatAndManyWords) {
  Records records = small_records();
  records.cases[0].tensors.clear();
  for (const FormatInfo& f : formats())
    if (f.bits >= 8) {
      const uint64_t mask = f.bits == 64 ? ~uint64_t{0} : (uint64_t{1} << f.bits) - 1;
      TensorRecord t{.name = std::string(f.name), .format = f.format, .rows = 7, .columns = 1001};
      for (uint64_t i = 0; i < 7007; i++) t.words.push_back(mixed(i) & mask);
      records.cases[0].tensors.push_back(t);
    }
  std::sort(records.cases[0].tensors.begin(), records.cases[0].tensors.end(), [](auto& a, auto& b) { return a.name < b.name; });
  write_file(folder / "deep" / "er" / "all.h5", records);
  EXPECT_EQ(read_file(folder / "deep" / "er" / "all.h5"), records);
}

TEST_F(GoldenFile, IsTheSameInEveryByteWhenWrittenAgain) {
  const std::string first = contents(written());
  EXPECT_EQ(contents(written()), first);
  EXPECT_TRUE(first.starts_with("assay golden records, form 1\nbytes "));
}

TEST_F(GoldenFile, LeavesNothingBesideItself) {
  written();
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
}

TEST_F(GoldenFile, IsRefusedWithAnyByteChanged) {
  const std::string good = contents(written());
  for (size_t at = 0; at < good.size(); at += at < 100 ? 1 : 17) {
    std::string bad = good;
    bad[at] = char(bad[at] ^ 1 << at % 8);
    ASSERT_NE(complaint_about(bad), "no complaint") << at;
  }
}

TEST_F(GoldenFile, IsRefusedAtAnyOtherLength) {
  const std::string good = contents(written());
  for (size_t length = 0; length < good.size(); length += 37) ASSERT_NE(complaint_about(good.substr(0, length)), "no complaint") << length;
  EXPECT_NE(complaint_about(good + '\0').find("record anew"), std::string::npos);
  EXPECT_NE(complaint_about(good.substr(0, 600)).find("has 88 bytes after its first 512, want"), std::string::npos);
}

TEST_F(GoldenFile, SaysWhatItIsInstead) {
  const std::string good = contents(written());
  EXPECT_NE(complaint_about("").find("is no golden file"), std::string::npos);
  EXPECT_NE(complaint_about("some text\n").find("is no golden file"), std::string::npos);
  EXPECT_NE(complaint_about(good.substr(512)).find("is no golden file"), std::string::npos);
  EXPECT_NE(complaint([&] { read_file(folder / "missing.h5"); }).find("there is no such file"), std::string::npos);
  EXPECT_NE(complaint([&] { read_file(folder); }).find("is a folder, want a file"), std::string::npos);
  ASSERT_EQ(mkfifo((folder / "pipe.h5").c_str(), 0600), 0);
  EXPECT_NE(complaint([&] { read_file(folder / "pipe.h5"); }).find("is not a regular file"), std::string::npos);
}

TEST_F(GoldenFile, OfANewerFormSaysSo) {
  std::string newer = contents(written());
  newer.replace(newer.find("form 1"), 6, "form 2");
  EXPECT_NE(complaint_about(newer).find("has form 2, this program reads form 1: want a newer program"), std::string::npos);
}

TEST_F(GoldenFile, WithoutAnAttributeOrWithAnotherKindIsRefusedByName) {
  EXPECT_NE(complaint_about_tree([](Node) {}).find("attribute 'subject' is missing"), std::string::npos);
  EXPECT_NE(complaint_about_tree([](Node root) { root.set("subject", uint64_t{1}); }).find("attribute 'subject' is of another kind"),
            std::string::npos);
  EXPECT_NE(complaint_about_tree([](Node root) { root.set("subject", std::string("s")); }).find("attribute 'suite' is missing"),
            std::string::npos);
}

TEST_F(GoldenFile, WithASuperblockOfOthersIsRefused) {
  Tree tree(folder / "tree.part");
  const std::vector<std::byte> content = tree.finish();
  for (const size_t at : {8, 9, 10, 12, 20, 30, 41}) {  // version, bytes of an offset and of a length, base, extension, end, root
    std::vector<std::byte> changed = content;
    changed[at] ^= std::byte{0x10};
    std::string bytes = block_of("golden records", changed);
    bytes.append(reinterpret_cast<const char*>(changed.data()), changed.size());
    EXPECT_NE(complaint_about(bytes).find("its superblock is none that this program writes"), std::string::npos) << at;
  }
}

TEST_F(GoldenFile, WithATreeOfAnotherShapeIsRefusedByPlace) {
  auto with = [&](auto grow) {
    return complaint_about_tree([&](Node root) {
      for (const char* text : {"subject", "suite", "backend", "card", "toolkit", "date"}) root.set(text, std::string("x"));
      for (const char* number : {"compute_capability", "multiprocessors", "driver", "runtime"}) root.set(number, uint64_t{1});
      root.set("multiply_adds", 1.0);
      grow(root);
    });
  };
  auto group = [](Node& root) {
    Node g = root.make_group("0000");
    g.set("case", std::string("c")), g.set("arithmetic", std::string()), g.set("operands", uint64_t{0});
    return g;
  };
  auto array = [&](Node& root, const char* format, uint64_t rows, uint64_t tile_rows) {
    Node a = group(root).make_array("y", 2, 1, 3, {1, 2, 3});
    a.set("holds", std::string("codes")), a.set("format", std::string(format)), a.set("rows", rows), a.set("columns", uint64_t{3}), a.set("tile_rows", tile_rows),
        a.set("tile_columns", uint64_t{0});
  };
  EXPECT_EQ(with([](Node) {}), "no complaint");
  EXPECT_NE(with([](Node root) { root.make_array("0000", 1, 1, 1, {1}); }).find("/0000: is no group"), std::string::npos);
  EXPECT_NE(with([](Node root) { root.make_group("0000"); }).find("/0000: attribute 'case' is missing"), std::string::npos);
  EXPECT_NE(with([&](Node root) { group(root).make_group("y"); }).find("/0000/y: is no array"), std::string::npos);
  EXPECT_NE(with([&](Node root) { group(root).make_array("y", 2, 1, 1, {1}); }).find("attribute 'format' is missing"), std::string::npos);
  EXPECT_EQ(with([&](Node root) { array(root, "bf16", 1, 0); }), "no complaint");
  EXPECT_NE(with([&](Node root) { array(root, "bf17", 1, 0); }).find("unknown format 'bf17'"), std::string::npos);
  EXPECT_NE(with([&](Node root) { array(root, "bf16", 2, 0); }).find("/0000/y: has 1 x 3 words, want 2 x 3"), std::string::npos);
  EXPECT_NE(with([&](Node root) { array(root, "bf16", ~uint64_t{0}, 0); }).find("attribute 'rows' is"), std::string::npos);
  EXPECT_NE(with([&](Node root) { array(root, "bf16", 1, 1); }).find("has tiles without extent"), std::string::npos);
}

TEST_F(GoldenFile, HasChecksumsOfItsOwnInsideToo) {
  const std::vector<std::byte> good = bytes_of(small_records(), folder / "tree.part");
  int refused = 0;
  for (size_t at = 0; at < good.size(); at++) {
    std::vector<std::byte> bad = good;
    bad[at] ^= std::byte(1);
    try {
      EXPECT_EQ(records_of(bad), small_records()) << at;  // a byte that nobody reads
    } catch (const LayoutError&) {
      refused++;
    }
  }
  EXPECT_GT(refused, int(good.size()) / 2);
}

TEST_F(GoldenFile, ThatCannotBeWrittenLeavesWhatWasThere) {
  const fs::path blocker = file("blocker", "text");
  EXPECT_NE(complaint([&] { write_file(blocker / "x.h5", small_records()); }).find("its folder cannot be made"), std::string::npos);
  fs::create_directories(folder / "taken.h5" / "inside");
  EXPECT_NE(complaint([&] { write_file(folder / "taken.h5", small_records()); }).find("cannot be written"), std::string::npos);
  fs::create_directory(folder / "taken.h5.hdf5.part");
  EXPECT_NE(complaint([&] { write_file(folder / "taken.h5", small_records()); }).find("cannot be written: Is a directory"),
            std::string::npos);
  EXPECT_FALSE(fs::exists(folder / "taken.h5.part"));
  EXPECT_EQ(contents(blocker), "text");
}

}  // namespace
}  // namespace assay::golden
