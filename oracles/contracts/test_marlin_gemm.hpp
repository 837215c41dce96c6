// What the tests of products in Marlin tiles share: codes, scales and zero points set one by one, at the places that the layouts' closed
// forms name, written apart from the packings; and the formula on them.
#pragma once
#include "oracles/contracts/test_contract.hpp"

namespace assay {

struct MarlinPosed {
  Posed p;
  int64_t m, n, k, group;
  int bits;

  MarlinPosed(std::string_view name, int bits_, const std::vector<Setting>& settings, Arithmetic declared)
      : p(name, settings, std::move(declared)), m(whole("m")), n(whole("n")), k(whole("k")), group(whole("group")), bits(bits_) {}

  int64_t whole(std::string_view name) const { return p.parameters.whole(name); }
  const Tensor* find(std::string_view name) const {
    for (const Tensor& t : p.before)
      if (t.spec.name == name) return &t;
    return nullptr;
  }

  /// Word 4t + c (8 bits: 8t + 2c and the next) of a tile holds columns j = 16c + t/4 and j + 8, rows i = 2 (t mod 4), i + 1, i + 8, i + 9.
  struct Spot {
    int64_t row, word;
    int shift;
  };
  Spot spot(int64_t r, int64_t column) const {
    const int64_t i = r % 16, j = column % 64, t = j % 8 * 4 + i % 8 / 2, c = j / 16, high_i = i / 8, odd = i % 2, high_j = j % 16 / 8;
    if (bits == 4) return {r / 16, column / 64 * 128 + 4 * t + c, int(4 * (4 * odd + 2 * high_j + high_i))};
    return {r / 16, column / 64 * 256 + 8 * t + 2 * c + high_j, int(8 * (2 * odd + high_i))};
  }
  void set_code(int64_t r, int64_t column, uint64_t code) {
    const Spot s = spot(r, column);
    Tensor& w = tensor(p.before, "w");
    const uint64_t mask = (uint64_t{1} << bits) - 1;
    w.set_code(s.row, s.word, (w.code(s.row, s.word) & ~(mask << s.shift)) | code << s.shift);
  }
  uint64_t code(int64_t r, int64_t column) const {
    const Spot s = spot(r, column);
    return tensor(p.before, "w").code(s.row, s.word) >> s.shift & ((uint64_t{1} << bits) - 1);
  }

  int64_t scale_place(int64_t column) const {
    if (group < k) return column / 64 * 64 + column % 8 * 8 + column % 64 / 8;
    constexpr int kOrder[] = {0, 1, 8, 9, 16, 17, 24, 25};
    for (int64_t at = 0; at < 32; at++)
      if (2 * (at / 8) + kOrder[at % 8] == column % 32) return column / 32 * 32 + at;
    return -1;
  }
  void set_scale(int64_t g, int64_t column, double s) { p.set("scale", g, scale_place(column), s); }
  double scale(int64_t g, int64_t column) const { return p.value("scale", g, scale_place(column)); }

  /// Words of eight: the even ones of a run of eight in the low half.
  int zero(int64_t g, int64_t column) const {
    if (!find("zeros")) return 8;
    const int64_t at = column / 64 * 64 + column % 8 * 8 + column % 64 / 8;
    return int(find("zeros")->code(g, at / 8) >> (4 * (at % 8 / 2 + at % 2 * 4)) & 15);
  }

  int64_t group_of(int64_t r) const { return find("g_idx") ? int64_t(find("g_idx")->code(0, r)) : r / group; }
  int64_t source_of(int64_t r) const { return find("perm") ? int64_t(find("perm")->code(0, r)) : r; }

  /// Random bits everywhere, scales of either sign; orders as far from the identity as they get.
  void draw(Random& random, int spread) {
    for (Tensor& t : p.before) {
      for (int64_t row = 0; row < t.spec.rows(); row++)
        for (int64_t column = 0; column < t.spec.width(); column++) {
          if (t.spec.name == "perm") t.set_code(row, column, uint64_t(t.spec.width() - 1 - column));
          else if (t.spec.name == "g_idx") t.set_code(row, column, uint64_t(random.below(int(k / group))));
          else if (t.spec.format == Format::int32) t.set_code(row, column, uint64_t(random.below(65536)) << 16 | uint64_t(random.below(65536)));
          else t.set_code(row, column, encode(t.spec.format, random.bf16(-spread, spread)));
        }
    }
    p.after = p.before;
  }
};

}  // namespace assay
