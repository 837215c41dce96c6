// scale = max(amax, eps) / 448 for each group of a row, then y = e4m3(x / scale), saturating. NaN does not count for amax, and becomes
// -448.
//
// scales=ue8m0: the smallest power of two that is not below max(scale, 1e-10), infinity staying what it is; scales=packed: its exponent
// byte, four groups a 32-bit word, absent groups and padding rows zero. Slot `exponent` says how it is found. By the bits there is no
// error; ceil of an approximate log2 may give either power for a scale close to one, and each of these is legal, but nothing between them.
#include "oracles/contracts/fp8_quant.hpp"
#include "oracles/packings/fp8_scales.hpp"

namespace assay {
namespace {

using namespace fp8_quant;

constexpr double kLeastPower = 1e-10f;

bool is_packed(const Parameters& p) { return p.word("scales") == "packed"; }
bool is_power(const Parameters& p) { return p.word("scales") != "fp32"; }
bool is_column_major(const Parameters& p) { return p.word("layout") == "column"; }
int64_t groups_of(const Parameters& p) { return p.whole("d") / p.whole("group"); }
double eps_of(const Parameters& p) { return static_cast<float>(p.real("eps")); }  // the operand is FP32

// ---- where the scale of a group lies

Fp8Scales scales_of(const Parameters& p) {
  return fp8_scales(is_column_major(p) ? ScaleLayout::group_padded : ScaleLayout::group, p.whole("rows"), p.whole("d"), p.whole("group"));
}

PackedUe8m0 packed_of(const Parameters& p) { return {p.whole("rows"), groups_of(p)}; }

/// FP32 runs of scales; packed, the bytes of all words in one run.
TensorSpec scale_spec(const Parameters& p) {
  const TensorSpec scale{.name = "scale", .role = Role::output, .format = is_packed(p) ? Format::ue8m0 : Format::fp32};
  const Fp8Scales s = scales_of(p);
  return is_packed(p) ? rows_of(scale, 1, 4 * packed_of(p).extent())
                      : rows_of(scale, s.runs(), s.run_length(), s.run_stride() - s.run_length() + p.whole("scale_pad"));
}

struct Group {
  int64_t row, index;
};

struct Element {
  int64_t row, column;
};

Element element_of(const Parameters& p, const Group& g) {
  if (is_packed(p)) return {0, 4 * packed_of(p).index(g.row, g.index / 4) + g.index % 4};
  return is_column_major(p) ? Element{g.index, g.row} : Element{g.row, g.index};
}

/// Nothing for a byte that belongs to no group.
std::optional<Group> group_of(const Parameters& p, const Element& at) {
  if (!is_packed(p)) return is_column_major(p) ? Group{at.column, at.row} : Group{at.row, at.column};
  const int64_t word = at.column / 4, rows = packed_of(p).column_stride();
  const Group g{word % rows, 4 * (word / rows) + at.column % 4};
  if (g.row < p.whole("rows") && g.index < groups_of(p)) return g;
  return {};
}

/// The scale that a kernel left, which packs infinity as the byte of NaN.
double left_in(const Tensor& scale, const Element& at) {
  const double value = scale.value(at.row, at.column);
  return scale.spec.format == Format::ue8m0 && std::isnan(value) ? INFINITY : value;
}

// ---- powers of two

int ceil_log2(double x) {
  int exponent = 0;
  return std::frexp(x, &exponent) == 0.5 ? exponent - 1 : exponent;
}

struct Exponents {
  int low, nominal, high;
};

Exponents exponents_above(const Tracked<double>& s, const Fn& log2) {
  const double slack = s.radius + s.bound.total() * (1 + 0x1p-40);
  auto lifted = [](double x) { return std::max(x, kLeastPower); };
  const double low = lifted(s.value - slack), high = lifted(s.value + slack);
  Exponents e{ceil_log2(low), ceil_log2(lifted(s.value)), ceil_log2(high)};
  auto error = [&log2](double x) { return std::fabs(std::log2(x)) * log2.relative; };
  if (log2.relative > 0 && std::log2(low) - error(low) <= e.low - 1) e.low--;
  if (log2.relative > 0 && std::log2(high) + error(high) > e.high) e.high++;
  return e;
}

/// Of the legal powers the one that the kernel left, or the nominal one.
Expected power_above(double amax, double left, const Arithmetic& arithmetic) {
  const Exponents e = exponents_above(scale<double>(amax, arithmetic), arithmetic.fn("exponent"));
  for (int i = e.low; i <= e.high; i++)
    if (left == std::ldexp(1.0, i)) return {.value = left};
  return {.value = std::ldexp(1.0, e.nominal)};
}

// ---- steps

Oracle scale_step(const Problem& problem) {
  const Parameters& p = problem.parameters;
  const Tensor &x = tensor(problem.before, "x"), &left = tensor(problem.after, "scale");
  const Arithmetic& arithmetic = problem.arithmetic;
  const double eps = eps_of(p);
  const int64_t size = p.whole("group");
  auto amax_of = [&x, eps, size](const Group& g) { return amax(x, g.row, g.index * size, (g.index + 1) * size, eps); };
  if (!is_power(p))
    return scale_oracle(arithmetic, 0, [&p, amax_of](int64_t row, int64_t column) { return amax_of(*group_of(p, {row, column})); });
  auto expect = [&p, &left, &arithmetic, amax_of](int64_t row, std::span<const int64_t> columns, std::span<Expected> out) {
    for (size_t i = 0; i < columns.size(); i++) {
      const auto g = group_of(p, {row, columns[i]});
      const double m = g ? amax_of(*g) : 0;
      if (!g)
        out[i] = {.value = info(Format::ue8m0).min_normal};  // byte 0
      else if (std::isinf(m))
        out[i] = {.value = is_packed(p) ? NAN : m};
      else
        out[i] = power_above(m, left.value(row, columns[i]), arithmetic);
    }
  };
  return {by_row(expect), {}};  // every value is exact
}

std::function<double(int64_t, int64_t)> scales_left(const Problem& problem) {
  const Parameters& p = problem.parameters;
  const Tensor& scale = tensor(problem.after, "scale");
  return [&p, &scale, size = p.whole("group")](int64_t row, int64_t column) { return left_in(scale, element_of(p, {row, column / size})); };
}

// Groups of zeros, and groups whose scale is an odd number times a power of two. For powers of two the largest magnitude, 448 times one,
// has neighbours too.
void exact_contents(const Parameters& p, const RandomBits& random, Tensors& all) {
  const int64_t rows = p.whole("rows"), size = p.whole("group");
  Tensor& x = tensor(all, "x");
  for (int64_t row = 0; row < rows; row++)
    for (int64_t g = 0; g < groups_of(p); g++) {
      const uint64_t index = uint64_t(row * groups_of(p) + g), last = uint64_t((g + 1) * size - 1);
      const bool zeros = row + 1 < rows && random(103, index) % 8 == 0;
      write_units(x, row, g * size, (g + 1) * size, zeros ? 0 : unit(random(101, index)), random);
      if (is_power(p) && !zeros) x.set_code(row, int64_t(last), x.code(row, int64_t(last)) + random(104, index) % 3 - 1);
    }
}

/// Rows, groups of a row and columns of a group. Four groups share a packed word, and rows of words are padded to a multiple of four.
std::vector<Alike> alike(const Parameters& p) {
  const int64_t rows = p.whole("rows"), d = p.whole("d"), groups = groups_of(p), size = p.whole("group");
  std::vector<Alike> all{{"columns of a group", size, {{"x"}, {"y"}}}};
  if (!is_packed(p)) {
    all.push_back({"rows", rows, {{"x", d}, {"y", d}, {"scale", is_column_major(p) ? 1 : groups}}});
    all.push_back({"groups", groups, {{"x", size}, {"y", size}, {"scale", is_column_major(p) ? rows : 1}}});
  } else if (rows % 4 == 0) {
    all.push_back({"rows", rows, {{"x", d}, {"y", d}, {"scale", 4}}});
  }
  return all;
}

std::optional<std::string> refuses(const Parameters& p) {
  const int64_t d = p.whole("d"), group = p.whole("group");
  const std::string group_text = "group=" + std::to_string(group);
  if (group % 8) return group_text + ": a chunk of eight must not straddle groups, so group must be a multiple of 8";
  if (d % group) return group_text + " does not divide d=" + std::to_string(d);
  if (is_packed(p) && !is_column_major(p)) return "scales=packed: the words of a row are apart, so layout must be column";
  if (is_packed(p) && p.whole("scale_pad")) return "scales=packed: words lie without gaps, so scale_pad must be 0";
  return {};
}

Contract contract() {
  return {
      .name = "fp8_quant_group",
      .formula = "scale = max(max|x|, eps) / 448 of a group, or the power of two above; y = e4m3(x / scale), saturating; NaN: -448",
      .parameters = parameters(
          {whole("group", 8, 1 << 30, 8, "elements of a row that share a scale"),
           word("scales", {"fp32", "ue8m0", "packed"}, "quotients, powers of two above them, or the exponents of these four a word"),
           word("layout", {"row", "column"}, "which scales lie side by side; column: rows padded to a multiple of 4"),
           whole("scale_pad", 0, 65536, 0, "elements between rows (columns) of scale, beyond the padding"),
           real("eps", 0, 1, 1e-10, "least amax")}),
      .refuses = refuses,
      .tensors =
          [](const Parameters& p) {
            return std::vector{codes_spec(p), operand_spec(p), scale_spec(p)};
          },
      .from_shapes = from_shapes(),
      .steps = {{.name = "scale", .tensor = "scale", .prepare = scale_step}, codes_step(Formula::division, -kMost, scales_left)},
      .work = [](const Parameters& p) { return work(p, double(p.whole("rows")) * double(groups_of(p)), 2); },
      .exact_contents = exact_contents,
      .alike = alike,
      .switches = {"scales", "eps"},
      .slots = [](const Parameters& p) {
        std::vector<Slot> all{staged_slot("scale", assumed::quotient()), staged_slot("quotient", assumed::quotient())};
        if (is_power(p)) all.push_back({"exponent", assumed::log2()});
        return all;
      },
  };
}

const Registered<Contract> registered{contract()};

}  // namespace
}  // namespace assay
