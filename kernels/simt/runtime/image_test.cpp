// Kernels in images of their own use this program's runtime.
#include <dlfcn.h>

#include "kernels/fused_add_rms_norm/fused_add_rms_norm.h"
#include "kernels/simt/runtime/test_device.hpp"

namespace simt {
namespace {

class ImageTest : public Emulator {
 protected:
  void SetUp() override {
    Emulator::SetUp();
    image_ = dlopen(SIMT_TEST_IMAGES "/fused_add_rms_norm.emu.so", RTLD_NOW | RTLD_LOCAL);
    ASSERT_TRUE(image_) << dlerror();
    norm_ = reinterpret_cast<decltype(&fused_add_rms_norm)>(dlsym(image_, "fused_add_rms_norm"));
    ASSERT_TRUE(norm_) << dlerror();
  }
  void TearDown() override {
    if (image_) dlclose(image_);
    Emulator::TearDown();
  }

  void* image_ = nullptr;
  decltype(&fused_add_rms_norm) norm_ = nullptr;
};

TEST_F(ImageTest, AKernelRuns) {
  DeviceVector<__nv_bfloat16> x(2 * 512, __float2bfloat16(1.0f)), residual(2 * 512, __float2bfloat16(2.0f)),
      weight(512, __float2bfloat16(0.5f));
  for (int workers : {1, 2}) {
    configure({.workers = workers});
    for (std::size_t i = 0; i < 1024; ++i) x[i] = __float2bfloat16(1.0f), residual[i] = __float2bfloat16(2.0f);
    ASSERT_EQ(norm_(x.data(), 512, residual.data(), 512, weight.data(), 2, 512, 0.0f, nullptr), cudaSuccess) << last_report();
    EXPECT_EQ(stats().blocks, 2u);
    for (std::size_t i : {0, 511, 512, 1023}) {
      EXPECT_EQ(__bfloat162float(residual[i]), 3.0f);
      EXPECT_EQ(__bfloat162float(x[i]), 0.5f);
    }
  }
}

TEST_F(ImageTest, AFaultNamesTheKernel) {
  DeviceVector<__nv_bfloat16> x(512), residual(512), weight(512);
  EXPECT_EQ(norm_(x.data(), 512, residual.data(), 512, weight.data(), 2, 512, 0.0f, nullptr), cudaErrorLaunchFailure);
  EXPECT_TRUE(
      reported({"kernel assay::(anonymous namespace)::add_and_normalise<true>, block (1,0,0), thread (0,0,0)",
                "0 bytes past the end of the allocation of 1024 bytes", "in assay::(anonymous namespace)::add_and_normalise<true>"}));
}

TEST_F(Emulator, LibraryCallsOfAnImageReachTheEmulator) {
  void* image = dlopen(SIMT_OWN_IMAGES "/library_calls.emu.so", RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(image) << dlerror();
  const auto call = reinterpret_cast<cudaError_t (*)(float*)>(dlsym(image, "library_calls"));
  ASSERT_TRUE(call) << dlerror();
  DeviceVector<float> x(4, 0.5f);
  ASSERT_EQ(call(x.data()), cudaSuccess) << last_report();
  EXPECT_EQ(library_functions_called(), (std::vector<std::string>{"expf", "logf", "sinf", "cosf", "tanh", "powf"}));
  EXPECT_EQ(x[0], 0x1.a61298p+0f);
  dlclose(image);
}

TEST_F(Emulator, ExtremaOfAnImageAreTheEmulatorsAndNotTheCLibrarys) {
  void* image = dlopen(SIMT_OWN_IMAGES "/extremum.emu.so", RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(image) << dlerror();
  const auto call = reinterpret_cast<cudaError_t (*)(float*, int)>(dlsym(image, "extremum"));
  ASSERT_TRUE(call) << dlerror();
  DeviceVector<float> x(3, 1.0f);
  x[1] = 2.0f;
  x[2] = __uint_as_float(0x7f810000u);  // signalling: the C library's functions give NaN
  ASSERT_EQ(call(x.data(), 3), cudaSuccess) << last_report();
  EXPECT_EQ(x[0], 1.0f);
  EXPECT_EQ(x[1], 2.0f);
  dlclose(image);
}

}  // namespace
}  // namespace simt
