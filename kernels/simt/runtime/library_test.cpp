#include <cmath>

#include "kernels/simt/runtime/test_device.hpp"

namespace simt {
namespace {

class LibraryTest : public Emulator {};

__global__ void activate(float* x) {
  x[0] = tanhf(x[0]);
  sincosf(x[1], &x[1], &x[2]);
  x[3] = static_cast<float>(log(static_cast<double>(x[3])));
}

__global__ void constants(float* x) { x[0] = expf(1.0f); }
__global__ void modelled(float* x) { x[0] = exp2f(x[0]) + __expf(x[0]) + rsqrtf(x[0]) + std::sqrt(x[0]); }

TEST_F(LibraryTest, CallsOfKernelsAreNoted) {
  DeviceVector<float> x(4, 0.5f);
  EXPECT_TRUE(library_functions_called().empty());
  ASSERT_EQ(assay::launch(activate, 1, 1, 0, nullptr, x.data()), cudaSuccess);
  EXPECT_EQ(library_functions_called(), (std::vector<std::string>{"log", "tanhf", "sincosf"}));
  EXPECT_EQ(x[0], static_cast<float>(std::tanh(0.5)));
  EXPECT_EQ(x[1], static_cast<float>(std::sin(0.5)));
  EXPECT_EQ(x[2], static_cast<float>(std::cos(0.5)));
  configure({.workers = 1});
  EXPECT_TRUE(library_functions_called().empty());
}

TEST_F(LibraryTest, CallsWithConstantsAreNoted) {
  DeviceVector<float> x(1);
  ASSERT_EQ(assay::launch(constants, 1, 1, 0, nullptr, x.data()), cudaSuccess);
  EXPECT_EQ(library_functions_called(), std::vector<std::string>{"expf"});
}

TEST_F(LibraryTest, FunctionsWithTheCardsBitsAreNot) {
  DeviceVector<float> x(1, 2.0f);
  ASSERT_EQ(assay::launch(modelled, 1, 1, 0, nullptr, x.data()), cudaSuccess);
  EXPECT_TRUE(library_functions_called().empty());
}

TEST_F(LibraryTest, CallsOutsideKernelsAreNotNoted) {
  volatile float x = 1;
  EXPECT_EQ(expf(x), 0x1.5bf0a8p+1f);
  EXPECT_TRUE(library_functions_called().empty());
}

// Every function against extended precision: half an ulp and a little.
template <class Function, class Reference>
void expect_correctly_rounded(const char* name, Function function, Reference reference, float low, float high) {
  for (int i = 0; i <= 10000; ++i) {
    const float x = low + (high - low) * static_cast<float>(i) / 10000.0f;
    const long double exact = reference(static_cast<long double>(x));
    const float ulp = std::nextafter(std::fabs(static_cast<float>(exact)), INFINITY) - std::fabs(static_cast<float>(exact));
    ASSERT_LE(std::fabs(function(x) - exact), 0.501L * ulp) << name << ' ' << x;
  }
}

#define EXPECT_CORRECTLY_ROUNDED(name, low, high) \
  expect_correctly_rounded(                       \
      #name "f", [](float x) { return name##f(x); }, [](long double x) { return name##l(x); }, low, high)

TEST_F(LibraryTest, ResultsAreRoundedOnce) {
  EXPECT_CORRECTLY_ROUNDED(exp, -87.0f, 88.0f);
  EXPECT_CORRECTLY_ROUNDED(exp10, -37.0f, 38.0f);
  EXPECT_CORRECTLY_ROUNDED(log, 0.001f, 90.0f);
  EXPECT_CORRECTLY_ROUNDED(log2, 0.001f, 90.0f);
  EXPECT_CORRECTLY_ROUNDED(sin, -300.0f, 300.0f);
  EXPECT_CORRECTLY_ROUNDED(cos, -300.0f, 300.0f);
  EXPECT_CORRECTLY_ROUNDED(tanh, -5.0f, 5.0f);
  EXPECT_CORRECTLY_ROUNDED(erf, -4.0f, 4.0f);
  expect_correctly_rounded(
      "powf", [](float x) { return powf(x, 1.7f); }, [](long double x) { return powl(x, 1.7f); }, 0.01f, 90.0f);
}

}  // namespace
}  // namespace simt
