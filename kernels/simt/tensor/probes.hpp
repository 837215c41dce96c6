// Single dot products that tell models of a tensor core apart, with what sm_90's answers: for tests of the model and of the device.
#pragma once

#include <vector>

#include "kernels/simt/tensor/parameters.hpp"

namespace simt::tensor {

struct Probe {
  const char* shows;
  std::vector<std::uint32_t> a, b;  // the first factors; the others are +0
  std::uint32_t addend;
  std::uint32_t answer;
};

// For bf16 into FP32, mma.sync and wgmma.
inline std::vector<Probe> bf16_probes() {
  std::vector<Probe> probes = {
      {"products are exact", {0x3f81}, {0x3f81}, 0, 0x3f820200},
      {"25 bits below the largest", {0x4300, 0x4300, 0x3a00}, {0x4300, 0xc300, 0x3f80}, 0, 0x3a000000},
      {"not 26", {0x4300, 0x4300, 0x3980}, {0x4300, 0xc300, 0x3f80}, 0, 0},
      {"the addend is on the same grid", {0x4300, 0x4300}, {0x4300, 0xc300}, 0x39800000, 0},
      {"truncation, negative", {0x4300, 0x4300, 0xba60}, {0x4300, 0xc300, 0x3f80}, 0, 0xba000000},
      {"truncation, positive", {0x4300, 0x4300, 0x3a60}, {0x4300, 0xc300, 0x3f80}, 0, 0x3a000000},
      {"the sum is rounded toward zero", {0x3f80, 0x33c0}, {0x3f80, 0x3f80}, 0, 0x3f800000},
      {"the same, negative", {0xbf80, 0xb3c0}, {0x3f80, 0x3f80}, 0, 0xbf800000},
      {"products are not normalised", {0x3fc0, 0x3fc0, 0x3300}, {0x3fc0, 0xbfc0, 0x3f80}, 0, 0x33000000},
      {"a zero has no exponent", {0x0000, 0x3280}, {0x7f00, 0x3f80}, 0, 0x32800000},
      {"subnormal inputs", {0x0001}, {0x7f00}, 0, 0x3c800000},
      {"the least alignment, below", {0x3400, 0xaf80}, {0x0080, 0x0080}, 0, 0},
      {"the least alignment, at", {0x3400, 0xaf00}, {0x0080, 0x0080}, 0, 1},
      {"products overflow and cancel", {0x7f00, 0xff00, 0x3f80}, {0x7f00, 0x7f00, 0x3f80}, 0, 0},
      {"no overflow yet", {0x7300}, {0x3f80}, 0x7f7fffff, 0x7f7fffff},
      {"overflow", {0x7380}, {0x3f80}, 0x7f7fffff, 0x7f800000},
      {"all of them -0", std::vector<std::uint32_t>(16, 0x8000), std::vector<std::uint32_t>(16, 0x3f80), 0x80000000, 0},
      {"1 - 1", {0x3f80, 0xbf80}, {0x3f80, 0x3f80}, 0, 0},
      {"Inf * 0", {0x7f80}, {0x0000}, 0, 0x7fffffff},
      {"Inf - Inf", {0x7f80}, {0x3f80}, 0xff800000, 0x7fffffff},
      {"NaN of another payload", {0xffc1}, {0x3f80}, 0, 0x7fffffff},
      {"NaN as the addend", {}, {}, 0x7f800001, 0x7fffffff},
  };
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t j = i + 1; j < 16; ++j) {
      Probe probe{"sixteen products are one sum", std::vector<std::uint32_t>(16, 0x3f80), std::vector<std::uint32_t>(16, 0x3f80), 0, 0};
      probe.a[i] = probe.a[j] = probe.b[i] = 0x4700;
      probe.b[j] = 0xc700;
      probes.push_back(probe);
    }
  return probes;
}

// For e4m3 into FP32, wgmma.
inline std::vector<Probe> e4m3_probes() {
  std::vector<Probe> probes = {
      {"13 bits below the largest", {0x58, 0x58, 0x10}, {0x58, 0xd8, 0x38}, 0, 0x3d000000},
      {"not 14", {0x58, 0x58, 0x08}, {0x58, 0xd8, 0x38}, 0, 0},
      {"the accumulator has 13 bits", {}, {}, 0x3f80ffff, 0x3f80fc00},
      {"truncation", {0x58, 0x58, 0x96}, {0x58, 0xd8, 0x38}, 0, 0xbd000000},
      {"subnormal factors are not normalised", {0x01, 0x81, 0x08}, {0x7e, 0x7e, 0x08}, 0, 0},
      {"the sum is rounded toward zero", std::vector<std::uint32_t>(32, 0x38), std::vector<std::uint32_t>(32, 0x38), 0, 0x41f80000},
      {"thirty-two products are one sum", std::vector<std::uint32_t>(32, 0x38), std::vector<std::uint32_t>(32, 0x38), 0, 0},
  };
  probes[5].a[31] = 0x14;
  probes[5].b[31] = 0x10;
  probes[6].a[0] = probes[6].a[1] = probes[6].b[0] = 0x78;
  probes[6].b[1] = 0xf8;
  return probes;
}

// For e4m3 into FP32, mma.sync as CUDA 13.0 compiles it: products in two sums, by the place modulo 4, and the addend last.
inline std::vector<Probe> emulated_e4m3_probes() {
  const std::vector<std::uint32_t> ones(32, 0x38);
  std::vector<Probe> probes = {{"the accumulator keeps its bits", {}, {}, 0x3f80ffff, 0x3f80ffff},
                               {"the addend comes last", {0x7e, 0x7e}, {0x7e, 0xfe}, 0x2f800000, 0x2f800000},
                               {"cancelling in one sum", ones, ones, 0x35800000, 0x41f00000},
                               {"cancelling across the sums", ones, ones, 0x35800000, 0x41f00000}};
  for (auto [probe, at] : {std::pair{2, 16}, {3, 2}}) {
    Probe& p = probes[static_cast<std::size_t>(probe)];
    p.a[0] = p.b[0] = p.a[static_cast<std::size_t>(at)] = 0x7e;
    p.b[static_cast<std::size_t>(at)] = 0xfe;
  }
  return probes;
}

}  // namespace simt::tensor
