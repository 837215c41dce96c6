// Rotary position embedding, NeoX pairing (Su et al. 2021; Black et al. 2022): for j < rot_dim/2 the pair (x, y) = (v[j], v[j + rot_dim/2])
// of every head becomes (x c - y s, y c + x s) with c, s from the cache row of the token's position. Dimensions from rot_dim on are copied
// bit for bit. The cache is an operand: how it was made is another contract (rope_cache).
#include <cfloat>
#include <cmath>

#include "oracles/arithmetic/wide.hpp"
#include "oracles/contract.hpp"

namespace assay {
namespace {

TensorSpec heads_of(const Parameters& p, const std::string& name) {
  const int64_t head = p.whole("head_size") + p.whole(name + "_head_pad"), heads = p.whole(name + "_heads");
  return {.name = name, .role = Role::inout, .shape = {p.whole("tokens"), heads, p.whole("head_size")},
          .strides = {heads * head + p.whole(name + "_pad"), head}, .offset = p.whole("offset"), .reduction = p.whole("head_size"), .whole_range = true};
}

std::vector<TensorSpec> tensors(const Parameters& p) {
  auto positions = rows_of({.name = "positions", .format = Format::int64, .meaning = Meaning::position, .limit = p.whole("max_position")}, 1, p.whole("tokens"));
  auto cache = rows_of({.name = "cos_sin_cache", .format = Format::fp32, .meaning = Meaning::angle_table, .huge = 1, .tiny = 1},
                       p.whole("max_position"), p.whole("rot_dim"));
  return {heads_of(p, "q"), heads_of(p, "k"), positions, cache};
}

/// The larger of the two errors: whichever product a fused multiply-add leaves unrounded, the other one counts.
Bound larger(const Bound& a, const Bound& b) { return a.total() > b.total() ? a : b; }

/// a * b + c * d by two rounded products and a rounded sum, or by a product and a fused multiply-add.
template <class Real>
Tracked<Real> two_products(double a, double b, double c, double d, const Arithmetic& arithmetic) {
  const Ops &product = arithmetic.ops("product"), &sum = arithmetic.ops("sum");
  const auto ab = exactly(Real(a)) * exactly(Real(b)), cd = exactly(Real(c)) * exactly(Real(d));   // 8 by 24 bits: exact in FP64
  const auto p = apply(arithmetic, product, ab), q = apply(arithmetic, product, cd);
  auto total = ab + cd;
  total.bound = larger(p.bound, q.bound);
  if (arithmetic.contraction != Contraction::always) total.bound = p.bound, total.bound += q.bound;
  return apply(arithmetic, sum, total);
}

template <class Real>
Tracked<Real> rotated(bool first_half, double x, double y, double cosine, double sine, const Arithmetic& arithmetic) {
  return first_half ? two_products<Real>(x, cosine, -y, sine, arithmetic) : two_products<Real>(y, cosine, x, sine, arithmetic);
}

/// Products beyond FP32's range, and infinities that meet NaN in one order of evaluation only, are outside the domain.
Expected special(bool first_half, double x, double y, double cosine, double sine) {
  const double a = first_half ? x * cosine : y * cosine, b = first_half ? -y * sine : x * sine;
  auto overflows = [](double product) { return std::isfinite(product) && std::fabs(product) >= FLT_MAX; };
  return {.value = a + b, .inside = !overflows(a) && !overflows(b)};
}

Oracle rotation(const Problem& problem, std::string_view name) {
  const Tensor &v = tensor(problem.before, name), &positions = tensor(problem.before, "positions"), &cache = tensor(problem.before, "cos_sin_cache");
  const Arithmetic& arithmetic = problem.arithmetic;
  const int64_t half = cache.spec.width() / 2, heads = v.spec.shape[1];
  auto position = [&positions, heads](int64_t row) { return int64_t(positions.value(0, row / heads)); };
  auto expect = [&v, &cache, &arithmetic, half, position](int64_t row, std::span<const int64_t> columns, std::span<Expected> out) {
    const int64_t at = position(row);
    for (size_t i = 0; i < columns.size(); i++) {
      const bool first = columns[i] < half;
      const int64_t j = first ? columns[i] : columns[i] - half;
      const double x = v.value(row, j), y = v.value(row, j + half), c = cache.value(at, j), s = cache.value(at, j + half);
      const bool finite = std::isfinite(x) && std::isfinite(y) && std::isfinite(c) && std::isfinite(s);
      out[i] = finite ? expected(rotated<double>(first, x, y, c, s, arithmetic)) : special(first, x, y, c, s);
      if (finite) out[i].inside = std::fabs(x) * (std::fabs(c) + std::fabs(s)) + std::fabs(y) * (std::fabs(c) + std::fabs(s)) < FLT_MAX;
    }
  };
  auto decide = [&v, &cache, &arithmetic, half, position](int64_t row, int64_t column) {
    const bool first = column < half;
    const int64_t j = first ? column : column - half, at = position(row);
    return decided(rotated<Wide>(first, v.value(row, j), v.value(row, j + half), cache.value(at, j), cache.value(at, j + half), arithmetic));
  };
  return {by_row(expect), decide};
}

Step rotates(const std::string& name) {
  return {.name = name + " rotated", .tensor = name, .prepare = [name](const Problem& p) { return rotation(p, name); },
          .columns = [](const Parameters& p) { return std::pair{int64_t{0}, p.whole("rot_dim")}; }};
}

Step passes(const std::string& name) {
  return {.name = name + " passed through", .tensor = name, .compare = Compare::bits,
          .expected_code = [name](const Problem& p, int64_t row, int64_t column) { return tensor(p.before, name).code(row, column); },
          .columns = [](const Parameters& p) { return std::pair{p.whole("rot_dim"), p.whole("head_size")}; }};
}

std::vector<Alike> alike(const Parameters& p) {
  const int64_t tokens = p.whole("tokens"), head = p.whole("head_size"), q = p.whole("q_heads"), k = p.whole("k_heads");
  return {{"tokens", tokens, {{"q", q * head}, {"k", k * head}, {"positions", 1}}},
          {"query heads", q, {{"q", head}}},
          {"key heads", k, {{"k", head}}}};
}

/// The angles of positions at which no token stands.
std::vector<InputRow> unused(const Parameters& p, const Tensors& all) {
  std::vector<bool> used(size_t(p.whole("max_position")));
  const Tensor& positions = tensor(all, "positions");
  for (int64_t token = 0; token < positions.spec.width(); token++) used[positions.code(0, token)] = true;
  std::vector<InputRow> rows;
  for (size_t row = 0; row < used.size(); row++)
    if (!used[row]) rows.push_back({"cos_sin_cache", int64_t(row)});
  return rows;
}

std::optional<std::string> refuses(const Parameters& p) {
  const int64_t rot = p.whole("rot_dim"), head = p.whole("head_size");
  if (rot % 2) return "rot_dim=" + std::to_string(rot) + ": dimensions are rotated in pairs, so it must be even";
  if (rot > head) return "rot_dim=" + std::to_string(rot) + " exceeds head_size=" + std::to_string(head);
  return {};
}

Contract contract() {
  return {
      .name = "rope_neox",
      .formula =
          "(v[j], v[j+h]) = bf16(v[j] c - v[j+h] s, v[j+h] c + v[j] s), h = rot_dim/2, c = cache[position][j], s = cache[position][h+j]",
      .parameters = {whole("tokens", 0, 2147483647, 1, "tokens"),
                     whole("q_heads", 0, 4096, 1, "query heads"),
                     whole("k_heads", 0, 4096, 1, "key heads"),
                     whole("head_size", 2, 4096, 8, "dimensions of a head"),
                     whole("rot_dim", 0, 4096, 8, "dimensions of a head that are rotated"),
                     whole("max_position", 1, 1 << 24, 16, "rows of the cache"),
                     whole("q_pad", 0, 65536, 0, "elements between tokens of q"),
                     whole("k_pad", 0, 65536, 0, "elements between tokens of k"),
                     whole("q_head_pad", 0, 4096, 0, "elements between heads of q"),
                     whole("k_head_pad", 0, 4096, 0, "elements between heads of k"),
                     whole("offset", 0, 127, 0, "elements by which q and k miss a 256-byte boundary")},
      .refuses = refuses,
      .tensors = tensors,
      .from_shapes = {{"tokens", "q", 0}, {"q_heads", "q", 1}, {"head_size", "q", 2}, {"tokens", "k", 0}, {"k_heads", "k", 1},
                      {"head_size", "k", 2}, {"tokens", "positions", 1}, {"max_position", "cos_sin_cache", 0},
                      {"rot_dim", "cos_sin_cache", 1}},
      .steps = {rotates("q"), passes("q"), rotates("k"), passes("k")},
      .work =
          [](const Parameters& p) {
            const double rows = double(p.whole("tokens")) * double(p.whole("q_heads") + p.whole("k_heads")), rot = double(p.whole("rot_dim"));
            return Work{.bytes = 4 * rows * rot + 4 * double(p.whole("tokens")) * rot, .flops = 3 * rows * rot, .multiply_adds = 2 * rows * rot};
          },
      .alike = alike,
      .unused = unused,
      .slots = [](const Parameters&) { return std::vector<Slot>{{"product", Ops{}}, {"sum", Ops{}}}; },
  };
}

const Registered<Contract> registered{contract()};

}  // namespace
}  // namespace assay
