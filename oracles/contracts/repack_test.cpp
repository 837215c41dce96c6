// Both contracts that move a checkpoint's codes into Marlin's layout.
#include "oracles/contracts/repack.hpp"

#include <numeric>

#include "oracles/contracts/test_contract.hpp"
#include "oracles/packings/awq.hpp"
#include "oracles/packings/gptq.hpp"
#include "oracles/packings/marlin.hpp"

namespace assay {
namespace {

std::vector<int32_t> words_of(const Tensor& t) {
  std::vector<int32_t> words;
  for (int64_t row = 0; row < t.spec.rows(); row++)
    for (int64_t column = 0; column < t.spec.width(); column++) words.push_back(int32_t(uint32_t(t.code(row, column))));
  return words;
}

struct Repack {
  Posed p;
  std::string kind;
  int bits;
  int64_t k, n;

  Repack(std::string kind_, int bits_, int64_t k_, int64_t n_, int64_t act_order = 0, int64_t w_pad = 0, uint64_t seed = 1)
      : p(kind_ + "_marlin_repack",
          {{"k", k_}, {"n", n_}, {"bits", std::to_string(bits_)}, {"act_order", act_order}, {"w_pad", w_pad}, {"out_pad", w_pad}}, Arithmetic()),
        kind(std::move(kind_)), bits(bits_), k(k_), n(n_) {
    std::mt19937_64 random(seed);
    Tensor& w = tensor(p.before, "w");
    for (int64_t row = 0; row < w.spec.rows(); row++)
      for (int64_t column = 0; column < w.spec.width(); column++) w.set_code(row, column, random() & 0xFFFFFFFF);
  }
  void permute(const std::vector<int32_t>& order) {
    for (size_t i = 0; i < order.size(); i++) tensor(p.before, "perm").set_code(0, int64_t(i), uint64_t(order[i]));
  }
  std::vector<int32_t> expected() const {
    const TensorSpec& out = tensor(p.before, "out").spec;
    std::vector<int32_t> words;
    for (int64_t row = 0; row < out.rows(); row++)
      for (int64_t column = 0; column < out.width(); column++)
        words.push_back(int32_t(uint32_t(p.contract.steps[0].expected_code(p.problem(), row, column))));
    return words;
  }
  std::vector<uint8_t> source_codes() const {
    return unpacked(kind == "gptq" ? gptq_codes(bits, k, n) : awq_codes(bits, k, n), words_of(tensor(p.before, "w")));
  }
};

std::vector<int32_t> shuffled(int64_t k, uint64_t seed) {
  std::vector<int32_t> order(static_cast<size_t>(k));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
  return order;
}

TEST(MarlinRepack, MovesTheCodesOfTheWholeTensor) {
  for (const char* kind : {"gptq", "awq"})
    for (int bits : {4, 8})
      for (int64_t pad : {0, 4}) {
        const Repack r(kind, bits, 48, 192, 0, pad);
        EXPECT_EQ(r.expected(), packed(marlin_codes(bits, 48, 192), r.source_codes())) << kind << bits;
      }
}

TEST(MarlinRepack, ActOrderTakesRowPermOfJ) {
  for (int bits : {4, 8}) {
    Repack r("gptq", bits, 64, 128, 1);
    const std::vector<int32_t> order = shuffled(64, 3);
    r.permute(order);
    EXPECT_EQ(r.expected(), packed(marlin_codes(bits, 64, 128), permuted_rows(r.source_codes(), 128, order)));
    EXPECT_NE(r.expected(), Repack("gptq", bits, 64, 128).expected());
  }
}

TEST(MarlinRepack, TheIdentityIsNoPermutation) {
  Repack with("gptq", 4, 32, 64, 1);
  std::vector<int32_t> identity(32);
  std::iota(identity.begin(), identity.end(), 0);
  with.permute(identity);
  EXPECT_EQ(with.expected(), Repack("gptq", 4, 32, 64).expected());
  EXPECT_EQ(tensor(Repack("gptq", 4, 32, 64).p.before, "perm").spec.elements(), 0);
}

TEST(MarlinRepack, LosesNoCode) {
  for (const char* kind : {"gptq", "awq"}) {
    const Repack r(kind, 4, 32, 128);
    std::vector<uint8_t> before = r.source_codes(), after = unpacked(marlin_codes(4, 32, 128), r.expected());
    EXPECT_EQ(before, after);
  }
}

TEST(MarlinRepack, DeclaresItsShapes) {
  const Repack four("gptq", 4, 48, 192), eight("awq", 8, 48, 192);
  EXPECT_EQ(tensor(four.p.before, "w").spec.shape, (std::vector<int64_t>{6, 192}));
  EXPECT_EQ(tensor(four.p.before, "out").spec.shape, (std::vector<int64_t>{3, 384}));
  EXPECT_EQ(tensor(eight.p.before, "w").spec.shape, (std::vector<int64_t>{48, 48}));
  EXPECT_EQ(tensor(eight.p.before, "out").spec.shape, (std::vector<int64_t>{3, 768}));
  EXPECT_EQ(four.p.contract.work(four.p.parameters).bytes, 48 * 192);
  EXPECT_EQ(eight.p.contract.work(eight.p.parameters).bytes, 2 * 48 * 192);
}

TEST(MarlinRepack, RefusalsSayWhatWouldBeRight) {
  EXPECT_EQ(refuses_marlin(16, 64), std::nullopt);
  EXPECT_EQ(refuses_marlin(0, 0), std::nullopt);
  EXPECT_EQ(refuses_marlin(24, 64), "k=24: a tile has 16 rows, so k must be a multiple of 16");
  EXPECT_EQ(refuses_marlin(16, 32), "n=32: a tile has 64 columns, so n must be a multiple of 64");
  EXPECT_EQ(refuses_marlin(1 << 30, 1 << 30), "k=1073741824 n=1073741824: more than 2^40 codes");
  const Parameters odd({{"k", int64_t{24}}, {"n", int64_t{64}}});
  for (const char* name : {"gptq_marlin_repack", "awq_marlin_repack"}) EXPECT_EQ(find<Contract>(name)->refuses(odd), refuses_marlin(24, 64));
}

}  // namespace
}  // namespace assay
