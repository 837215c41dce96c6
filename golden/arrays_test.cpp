#include "golden/arrays.hpp"

#include <hdf5.h>

#include "golden/hdf5.hpp"
#include "golden/test_records.hpp"

namespace assay::golden {
namespace {

class Arrays : public InFolder {
 protected:
  std::filesystem::path path() const { return folder / "t.h5"; }

  /// As h5py writes them: one of floats with big ends first, one of codes in a group, with an attribute of a string of any length.
  void write(const char* format = "e4m3fn") const {
    const hid_t file = H5Fcreate(path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                group = H5Gcreate2(file, "layer", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hsize_t shape[2]{2, 3};
    const hid_t space = H5Screate_simple(2, shape, nullptr), scalar = H5Screate(H5S_SCALAR), text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, H5T_VARIABLE);
    const float values[6]{1, -2, 0.5, 3, 4, 5};
    const unsigned char codes[6]{1, 2, 3, 0x7F, 0xFF, 6};
    const hid_t x = H5Dcreate2(file, "x", H5T_IEEE_F32BE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(x, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    const hid_t w = H5Dcreate2(group, "w", H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(w, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, codes);
    const hid_t attribute = H5Acreate2(w, "format", text, scalar, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, text, &format);
    H5Aclose(attribute), H5Dclose(w), H5Dclose(x), H5Tclose(text), H5Sclose(scalar), H5Sclose(space), H5Gclose(group), H5Fclose(file);
  }
  std::string said() const {
    return complaint([&] { read_arrays(path()); });
  }
};

TEST_F(Arrays, AreTensorsByPath) {
  write();
  EXPECT_TRUE(holds_arrays(path()));
  const std::vector<GivenTensor> all = read_arrays(path());
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "layer/w");
  EXPECT_EQ(all[0].format, Format::e4m3fn);
  EXPECT_EQ(all[0].read()[4], std::byte{0xFF});
  EXPECT_EQ(all[1].name, "x");
  EXPECT_EQ(all[1].format, Format::fp32);
  EXPECT_EQ(all[1].shape, (std::vector<int64_t>{2, 3}));
  std::vector<double> values(6);
  decode(Format::fp32, all[1].read().data(), values);
  EXPECT_EQ(values, (std::vector<double>{1, -2, 0.5, 3, 4, 5}));
}

TEST_F(Arrays, UnsignedOnesAreCodes) {
  Tree tree(folder / "scratch");
  tree.root().make_array("c", 2, 1, 3, {1, 2, 65535});
  std::ofstream(path(), std::ios::binary) <<
      [bytes = tree.finish()] { return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()); }();
  const GivenTensor c = read_arrays(path()).at(0);
  EXPECT_FALSE(c.format);
  EXPECT_EQ(c.bits, 16);
  EXPECT_EQ(c.read().size(), 6u);
}

TEST_F(Arrays, WrongFormatsAndOtherFilesAreRefused) {
  write("e4m3");
  EXPECT_NE(said().find("array 'layer/w': attribute 'format' is 'e4m3': want a format such as"), std::string::npos) << said();
  write("bf16");
  EXPECT_NE(said().find("attribute 'format' is bf16, its elements are uint8"), std::string::npos) << said();
  file("t.h5", "something else");
  EXPECT_FALSE(holds_arrays(path()));
  EXPECT_NE(said().find("is no HDF5 file, or damaged"), std::string::npos) << said();
  write();
  std::filesystem::resize_file(path(), std::filesystem::file_size(path()) / 2);
  EXPECT_NE(said().find("is no HDF5 file, or damaged"), std::string::npos) << said();
}

}  // namespace
}  // namespace assay::golden
